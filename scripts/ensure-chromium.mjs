// Makes sure that a Chromium is there: Debian as root by apt, elsewhere by Playwright's own download.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChromium } from './find-chromium.mjs';
import { runNode, runProgram, toolPath } from './lib/run.mjs';

const INSTALL_LIMIT_MS = 5 * 60_000;

const isLinuxRoot = () => process.platform === 'linux' && process.getuid() === 0;

function isDebian() {
  try {
    // Not its derivatives: Ubuntu's chromium package is a wrapper that needs a running snapd.
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

async function installByApt() {
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, timeout: INSTALL_LIMIT_MS };
  const code = await runProgram('apt-get', ['update', '-qq'], options);
  return code || runProgram('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], options);
}

/** As root it brings the system libraries along (Ubuntu); otherwise they have to be there. */
const installByPlaywright = () =>
  runNode(toolPath('playwright-core'), ['install', ...(isLinuxRoot() ? ['--with-deps'] : []), 'chromium'], { timeout: INSTALL_LIMIT_MS });

/** The path of a Chromium, installed first where there is none. Throws, saying what to do, where that failed. */
export async function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  console.log('No Chromium here; installing one…');
  if (isLinuxRoot() && isDebian()) {
    await installByApt();
    const installed = findChromium();
    if (installed) return installed;
  }
  await installByPlaywright();
  const installed = findChromium();
  if (!installed) throw new Error('Chromium is needed: install Chromium or Chrome, or set BURSAR_CHROMIUM to its executable.');
  return installed;
}

/** For scripts: the path, or one line on standard error and the end of this process with code 1. */
export const chromiumOrExit = () =>
  ensureChromium().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`Chromium: ${await chromiumOrExit()}`);
