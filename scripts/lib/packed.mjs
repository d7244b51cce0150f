// Looking at a packed application: what is in it, what must not be, and how its fuses stand.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { getRawHeader } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { FuseState } from '@electron/fuses/dist/constants.js';

/** Each fuse as it has to be (the design's security rules; `electronFuses` of electron-builder.config.mjs sets them). */
const FUSES = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
};

/** Packages beside the bundle: the two with native parts, and no other. */
const PACKAGES = /^node_modules\/(?:better-sqlite3|@napi-rs\/keyring(?:-[a-z0-9-]+)?)\//;
const IN_ARCHIVE = [/^(?:package\.json|LICENSE)$/, /^out\/(?:main|preload|renderer)\//, /^resources\/(?:icon\.png|tray\/[^/]+\.png)$/, PACKAGES];
const IN_PROGRAM = [/^(?:package\.json|(?:node-)?LICENSE)$/, /^node(?:\.exe)?$/, /^out\/(?:main|renderer)\//, PACKAGES];
/** Sources, maps, tests and what a compiler would want. */
const NEVER = /\.(?:tsx?|map|cc|cpp|h|hpp|gyp|gypi|patch|spec|test)$|(?:^|\/)(?:tests?|__tests__|sandbox|src|deps)\//;

const NEEDED_IN_ARCHIVE = ['package.json', 'LICENSE', 'out/main/licenses.md', 'out/renderer/dashboard-licenses.md', 'out/main/index.js', 'out/main/search.js', 'out/preload/dashboard.cjs', 'out/preload/approval.cjs', 'out/renderer/dashboard.html', 'out/renderer/approval.html', 'resources/icon.png', 'resources/tray/tray.png', 'node_modules/better-sqlite3/lib/index.js', 'node_modules/@napi-rs/keyring/index.js'];
const NEEDED_IN_PROGRAM = ['package.json', 'LICENSE', 'node-LICENSE', 'out/main/licenses.md', 'out/main/shim.js', 'out/main/cli.js', 'out/main/headless.js', 'out/main/search.js', 'out/renderer/dashboard.html', 'node_modules/better-sqlite3/lib/index.js', 'node_modules/@napi-rs/keyring/index.js'];
/** Outside of the archive, because the system's loader or a thread reads them. */
const NEEDED_UNPACKED = ['package.json', 'out/main/search.js', 'node_modules/better-sqlite3/lib/index.js', 'node_modules/better-sqlite3/package.json'];

/** Folder of resources and executable (on macOS the bundle) of an unpacked application. */
export function partsOf(folder, platform, name = 'bursar') {
  if (platform === 'darwin') return { resources: join(folder, 'Bursar.app', 'Contents', 'Resources'), executable: join(folder, 'Bursar.app') };
  return { resources: join(folder, 'resources'), executable: join(folder, platform === 'win32' ? 'Bursar.exe' : name) };
}

/** `{ path, size, unpacked }` of every file in the archive, with forward slashes. */
function archiveFiles(archive) {
  const found = [];
  const walk = (node, at) => {
    for (const [name, entry] of Object.entries(node.files)) {
      const path = posix.join(at, name);
      if (entry.files) walk(entry, path);
      else found.push({ path, size: Number(entry.size ?? 0), unpacked: entry.unpacked === true });
    }
  };
  walk(getRawHeader(archive).header, '');
  return found;
}

const folderFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(folder, file).split(sep).join('/'), size: statSync(file).size }));

const sum = (files) => files.reduce((total, { size }) => total + size, 0);

/** Platform and processor that an executable is for, by its header: `linux-x64`; empty for what is none. */
export function machineOf(path) {
  const head = Buffer.alloc(1024);
  const file = openSync(path, 'r');
  readSync(file, head, 0, head.length, 0);
  closeSync(file);
  if (head.readUInt32BE(0) === 0x7f454c46) return `linux-${{ 0x3e: 'x64', 0xb7: 'arm64' }[head.readUInt16LE(18)] ?? 'other'}`;
  if (head.readUInt32LE(0) === 0xfeedfacf) return `darwin-${{ 0x01000007: 'x64', 0x0100000c: 'arm64' }[head.readUInt32LE(4)] ?? 'other'}`;
  const pe = head.readUInt16LE(0) === 0x5a4d ? head.readUInt32LE(0x3c) : -1;
  if (pe >= 0 && pe < head.length - 6 && head.readUInt32LE(pe) === 0x4550) return `win32-${{ 0x8664: 'x64', 0xaa64: 'arm64' }[head.readUInt16LE(pe + 4)] ?? 'other'}`;
  return '';
}

/** Fuses that stand otherwise than they have to, in words. */
async function fuseProblems(executable) {
  const wire = await getCurrentFuseWire(executable);
  const inWords = (on) => (on ? 'on' : 'off');
  return Object.entries(FUSES).flatMap(([name, wanted]) => {
    const state = wire[FuseV1Options[name]];
    if (state === (wanted ? FuseState.ENABLE : FuseState.DISABLE)) return [];
    return [`the fuse ${name} has to be ${inWords(wanted)}, and is ${state === undefined ? 'not there' : inWords(state === FuseState.ENABLE)}`];
  });
}

/**
 * Holds an unpacked application (`linux-unpacked`, `mac-arm64`, `win-unpacked`) against what it has to be. Gives `problems`, sentences of
 * which there should be none, and sizes in bytes. `target` is `linux-x64` and the like; `devDependencies` are names of packages.
 */
export async function inspectPacked({ folder, target, devDependencies, executableName }) {
  const [platform] = target.split('-');
  const { resources, executable } = partsOf(folder, platform, executableName);
  const archive = join(resources, 'app.asar');
  const unpacked = join(resources, 'app.asar.unpacked');
  const program = join(resources, 'program');
  const missing = [archive, unpacked, program].filter((path) => !existsSync(path)).map((path) => `${path} is missing`);
  if (missing.length > 0) return { problems: missing };

  const archived = archiveFiles(archive);
  const besides = folderFiles(unpacked);
  const programmed = folderFiles(program);
  const problems = [...(await fuseProblems(executable))];
  const held = (where, files, allowed, needed) => {
    const paths = new Set(files.map(({ path }) => path));
    for (const path of paths) if (!allowed.some((rule) => rule.test(path)) || NEVER.test(path)) problems.push(`${where} holds ${path}, which is no part of the application`);
    for (const path of needed) if (!paths.has(path)) problems.push(`${where} lacks ${path}`);
    for (const name of devDependencies) if (files.some(({ path }) => path.startsWith(`node_modules/${name}/`))) problems.push(`${where} holds ${name}, a development dependency`);
    for (const native of ['better-sqlite3', '@napi-rs']) if (!files.some(({ path }) => path.startsWith(`node_modules/${native}`) && path.endsWith('.node'))) problems.push(`${where} lacks the binary of ${native}`);
  };
  held('the archive', archived, IN_ARCHIVE, NEEDED_IN_ARCHIVE);
  held('the program folder', programmed, IN_PROGRAM, NEEDED_IN_PROGRAM);
  held('the unpacked folder', besides, IN_ARCHIVE, NEEDED_UNPACKED);
  for (const { path, unpacked: out } of archived) if (path.endsWith('.node') && !out) problems.push(`the archive keeps ${path} in it, where no system can load it`);

  const binaries = [
    ...programmed.filter(({ path }) => /\.node$|^node(?:\.exe)?$/.test(path)).map(({ path }) => join(program, path)),
    ...besides.filter(({ path }) => path.endsWith('.node')).map(({ path }) => join(unpacked, path)),
  ];
  const node = join(program, platform === 'win32' ? 'node.exe' : 'node');
  if (!binaries.includes(node)) problems.push(`the program folder lacks a Node: the package with the one for ${target} is not installed here`);
  for (const binary of binaries) if (machineOf(binary) !== target) problems.push(`${relative(folder, binary)} is for ${machineOf(binary) || 'no platform'}, not for ${target}`);

  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  if (manifest.devDependencies !== undefined || manifest.scripts !== undefined) problems.push('the package.json names development dependencies or scripts');
  const packed = archived.filter(({ unpacked: out }) => !out);
  return {
    problems,
    counts: { archive: archived.length, program: programmed.length },
    sizes: { archive: sum(packed), unpacked: sum(besides), program: sum(programmed), node: existsSync(node) ? statSync(node).size : 0 },
  };
}
