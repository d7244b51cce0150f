import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('.', import.meta.url));

export type Peer = 'mcp-proxy' | 'mcp-remote' | 'supergateway';

/** Installs the proxies that others wrote from their own lock, unless they are there already. */
export function installPeers(): void {
  const installed = join(PACKAGE, 'node_modules', '.package-lock.json');
  const lock = join(PACKAGE, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('installing mcp-proxy, mcp-remote and supergateway …');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: PACKAGE, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
}

/** The script behind a peer's command. */
export function peerScript(name: Peer): string {
  const folder = join(PACKAGE, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly bin: Readonly<Record<string, string>> };
  return join(folder, bin[name] ?? '');
}
