// Packing with electron-builder's own parts, as far as that goes without Electron.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateConfiguration } from 'app-builder-lib/out/util/config/config.js';
import { Arch, build, Platform } from 'electron-builder';
import config from '../../electron-builder.config.mjs';
import { manifest, root } from './run.mjs';
import { writeStubElectron } from './stub-electron.mjs';

/** A copy: electron-builder changes what it is given. */
const plain = ({ beforePack, ...rest }) => ({ ...structuredClone(rest), beforePack });

const NO_LOGGING = { isEnabled: false, add() {} };

/** What electron-builder's schema says against the configuration, with and without a feed. */
export async function configProblems() {
  const variants = [config, { ...config, publish: { provider: 'generic', url: 'https://updates.example/bursar' } }];
  const found = await Promise.all(variants.map((variant) => validateConfiguration(plain(variant), NO_LOGGING).then(() => [], (error) => [`electron-builder.config.mjs: ${error.message}`])));
  return found.flat();
}

/** The sizes in pixels that an icon file of one of the systems holds. */
const iconSizes = {
  icns: (bytes) => {
    const sizes = [];
    for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at + 4)) sizes.push(bytes.readUInt32BE(at + 8 + 16));
    return bytes.toString('latin1', 0, 4) === 'icns' && bytes.readUInt32BE(4) === bytes.length ? sizes : [];
  },
  ico: (bytes) => Array.from({ length: bytes.readUInt16LE(4) }, (_none, index) => bytes.readUInt32BE(bytes.readUInt32LE(6 + 16 * index + 12) + 16)),
};

/** What the systems need of an icon and is not in its file. */
export function iconProblems() {
  const lacks = (name, sizes, needed) => needed.filter((size) => !sizes.includes(size)).map((size) => `${name} lacks the size ${size}`);
  const read = (name) => readFileSync(join(root, name));
  const png = (size) => join(root, config.linux.icon, `${size}x${size}.png`);
  return [
    ...lacks(config.mac.icon, iconSizes.icns(read(config.mac.icon)), [32, 64, 128, 256, 512, 1024]),
    ...lacks(config.win.icon, iconSizes.ico(read(config.win.icon)), [16, 32, 48, 256]),
    ...[16, 32, 48, 64, 128, 256, 512].filter((size) => !existsSync(png(size)) || readFileSync(png(size)).readUInt32BE(16) !== size).map((size) => `${png(size)} is missing or of another size`),
  ];
}

/** Packs for Linux, unpacked, around a stub of Electron. Gives the folder of the application. electron-builder's words go to standard error. */
export async function packAroundStub(folder) {
  const stub = join(folder, 'electron');
  mkdirSync(stub, { recursive: true });
  writeStubElectron(stub, manifest.devDependencies.electron);
  const output = join(folder, 'packages');
  const write = process.stdout.write;
  // Standard output is the caller's; electron-builder writes there by itself.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    await build({
      projectDir: root,
      publish: 'never',
      targets: Platform.LINUX.createTarget('dir', process.arch === 'arm64' ? Arch.arm64 : Arch.x64),
      config: { ...plain(config), electronDist: stub, electronVersion: manifest.devDependencies.electron, directories: { ...config.directories, output } },
    });
  } finally {
    process.stdout.write = write;
  }
  return join(output, process.arch === 'arm64' ? 'linux-arm64-unpacked' : 'linux-unpacked');
}
