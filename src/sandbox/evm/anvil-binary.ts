import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BursarError } from '../../shared/errors/errors.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The path of the anvil executable that came with `@foundry-rs/anvil`'s platform package. The package's own `bin.mjs` is passed
 * over: it is a wrapper, and killing a wrapper leaves anvil running. Throws `NOT_FOUND` where the platform has none.
 */
export function anvilBinary(): string {
  const { platform, arch } = process;
  const name = `@foundry-rs/anvil-${platform}-${ARCHITECTURES[arch] ?? arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch (cause) {
    throw new BursarError('NOT_FOUND', `There is no anvil for ${platform}-${arch}: the package ${name} is not installed.`, {
      hint: 'The sandbox needs it. Run: npm ci --include=optional',
      cause,
    });
  }
}
