import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Every module that a file loads at run time, followed through relative imports. */
function imports(file: string, seen = new Set<string>(), outside = new Set<string>()): Set<string> {
  if (seen.has(file)) return outside;
  seen.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm)) {
    if (name.startsWith('.')) imports(join(dirname(file), name), seen, outside);
    else outside.add(name);
  }
  return outside;
}

test('the shim loads nothing but node: modules, so that it can be bundled to one file that starts at once', () => {
  const shim = fileURLToPath(new URL('../../../src/main/shim.ts', import.meta.url));
  const outside = [...imports(shim)];
  expect(outside).toContain('node:net');
  expect(outside.filter((name) => !name.startsWith('node:'))).toEqual([]);
});
