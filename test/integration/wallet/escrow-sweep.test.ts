import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepMany } from '../../support/many-escrows.ts';

test('a sweep over many open links leaves some out, asks for one twice, or holds up everything else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-sweep-'));
  try {
    const { looked, longestBlockMs } = await sweepMany(folder, 1_000);
    expect(looked).toBe(1_000);
    // A page of links at once would be many times this.
    expect(longestBlockMs).toBeLessThan(250);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
