// Makes package-lock.json name every platform's build of every native package, so that `npm ci` works on all of them.
// npm leaves a platform package out of the lock without a word when the registry it wrote the lock from did not carry it,
// and `npm ci` then fails on the machines that need it (npm/cli#4828). An entry added here has no integrity hash: it could
// not be read where the lock was written. `--check` only reports, and is part of `npm test`.
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const packages = lock.packages;

/** The path at which node would find `name` when required from `from`, if the lock has it. */
function resolveIn(from, name) {
  for (let at = from; ; ) {
    const path = `${at ? `${at}/` : ''}node_modules/${name}`;
    if (packages[path]) return path;
    if (!at) return undefined;
    const cut = at.lastIndexOf('node_modules/');
    at = cut > 0 ? at.slice(0, cut - 1) : '';
  }
}

const OS = { darwin: 'darwin', win32: 'win32', windows: 'win32', linux: 'linux', android: 'android', freebsd: 'freebsd', openharmony: 'openharmony', wasi: undefined };
const CPU = { arm64: 'arm64', aarch64: 'arm64', x64: 'x64', amd64: 'x64', arm: 'arm', ia32: 'ia32', ppc64: 'ppc64', riscv64: 'riscv64', s390x: 's390x', wasm32: 'wasm32' };

function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = words.map((w) => OS[w]).find(Boolean);
  const cpu = words.map((w) => CPU[w]).find(Boolean);
  const libc = words.some((w) => w === 'musl') ? 'musl' : words.some((w) => w === 'gnu') && os === 'linux' ? 'glibc' : undefined;
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}

const missing = Object.entries(packages).flatMap(([path, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !resolveIn(path, name))
    .map(([name, version]) => ({ path, name, version, dev: entry.dev === true })),
);

if (missing.length === 0) process.exit(0);
if (process.argv.includes('--check')) {
  console.error(`package-lock.json lacks ${missing.length} platform packages, for example ${missing[0].name} of ${missing[0].path}. Run: node scripts/complete-lock.mjs`);
  process.exit(1);
}
for (const { name, version, dev } of missing) {
  const platform = platformOf(name);
  if (!platform.cpu || !/^\d/.test(version)) throw new Error(`cannot tell the platform or version of ${name}@${version}`);
  packages[`node_modules/${name}`] = { version, ...platform, ...(dev && { dev }), optional: true };
}
lock.packages = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${missing.length} platform packages to ${file}`);
