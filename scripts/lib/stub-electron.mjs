// As much of an Electron distribution as electron-builder touches, for a machine that cannot fetch one: nothing of it runs.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Marks the fuse wire in Electron's executable (@electron/fuses); version 1, and how Electron ships each of its eight fuses. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const AS_SHIPPED = ['1', '0', '1', '1', '0', '0', '0', '1'];

/** Writes a Linux distribution into a folder. */
export function writeStubElectron(folder, version) {
  mkdirSync(join(folder, 'locales'), { recursive: true });
  mkdirSync(join(folder, 'resources'), { recursive: true });
  const wire = Buffer.concat([Buffer.from(FUSE_SENTINEL), Buffer.from([1, AS_SHIPPED.length]), Buffer.from(AS_SHIPPED.join(''))]);
  writeFileSync(join(folder, 'electron'), Buffer.concat([Buffer.from('a stub, not Electron\n'), wire, Buffer.from('\n')]));
  chmodSync(join(folder, 'electron'), 0o755);
  writeFileSync(join(folder, 'version'), version);
  writeFileSync(join(folder, 'LICENSE'), '');
  writeFileSync(join(folder, 'LICENSES.chromium.html'), '');
  writeFileSync(join(folder, 'locales', 'en-US.pak'), '');
  writeFileSync(join(folder, 'chrome-sandbox'), '');
}
