// Which host runs the application here: Electron with its binary and a display, else Node ("headless").
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNode } from './run.mjs';

const ELECTRON = join(root, 'node_modules', 'electron');
const PROBE_LIMIT_MS = 5_000;
const FETCH_LIMIT_MS = 4 * 60_000;

/** The Electron executable, or undefined. Never by `require('electron')`, which starts a download. */
export function electronBinary() {
  try {
    const binary = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(ELECTRON, 'dist'), readFileSync(join(ELECTRON, 'path.txt'), 'utf8'));
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/** A silent firewall would otherwise cost the whole of the download's limit at every start. */
async function isDownloadReachable() {
  if (process.env.ELECTRON_GET_USE_PROXY) return true;
  try {
    await fetch(process.env.ELECTRON_MIRROR ?? 'https://github.com', { method: 'HEAD', signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    return true;
  } catch {
    return false;
  }
}

/** Downloads Electron once; where that fails or takes too long, the application runs without it. */
async function fetchElectron() {
  if (!(await isDownloadReachable())) return undefined;
  console.log(`Fetching Electron (once, about 110 MB; at most ${FETCH_LIMIT_MS / 60_000} minutes)…`);
  const code = await runNode(join(ELECTRON, 'install.js'), [], { timeout: FETCH_LIMIT_MS, stdio: ['ignore', 'inherit', 'ignore'] });
  return code === 0 ? electronBinary() : undefined;
}

const hasDisplay = () => process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/**
 * Chooses the host: `{ electron, why }`, where `electron` is the executable or undefined for headless and `why` completes
 * the sentence "Bursar runs … because …". Fetches Electron only where it could be used.
 */
export async function chooseHost({ headless }) {
  if (headless) return { electron: undefined, why: 'that was asked for (--headless)' };
  if (!hasDisplay()) return { electron: undefined, why: 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)' };
  const present = electronBinary();
  if (present) return { electron: present, why: 'its binary and a display are here' };
  const fetched = await fetchElectron();
  if (fetched) return { electron: fetched, why: 'its binary was fetched and a display is here' };
  return { electron: undefined, why: 'the Electron binary is not here and could not be fetched (set ELECTRON_MIRROR where GitHub is out of reach)' };
}

/** The program and arguments that run the built application in that host, with the environment to add. */
export function hostCommand({ electron }, args) {
  if (!electron) return { program: process.execPath, args: [join(root, 'out/main/cli.js'), 'start', ...args], env: {} };
  // Chromium refuses to run as root with its own sandbox; only containers and throwaway machines do that.
  const asRoot = process.platform === 'linux' && process.getuid() === 0 ? ['--no-sandbox'] : [];
  // The app spawns the sandbox and names a Node in client configs; Electron itself is no Node (its fuse is off).
  return { program: electron, args: [...asRoot, join(root, 'out/main/index.js'), ...args], env: { BURSAR_NODE: process.execPath } };
}

/** One line for the terminal: which host, and why. */
export const hostLine = ({ electron, why }) => `Bursar runs ${electron ? 'in Electron' : 'headless (Node, pages in your browser)'} because ${why}.`;
