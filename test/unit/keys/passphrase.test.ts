import { describe, expect, it } from 'vitest';
import { createAttempts, createVerifier, matchesVerifier } from '../../../src/main/adapters/keys/passphrase.ts';

describe('verifier', () => {
  it('takes another passphrase, a damaged verifier, or a cost that hangs the machine', async () => {
    const verifier = await createVerifier('correct horse', 2 ** 10);
    expect(await matchesVerifier('correct horse', verifier)).toBe(true);
    expect(await matchesVerifier('correct Horse', verifier)).toBe(false);
    for (const [at, byte] of [[0, 11], [0, 40], [0, 0], [1, verifier[1]! ^ 1], [48, verifier[48]! ^ 1]] as const) {
      expect(await matchesVerifier('correct horse', Buffer.from(verifier).fill(byte, at, at + 1))).toBe(false);
    }
    for (const length of [0, 1, 48]) expect(await matchesVerifier('correct horse', verifier.subarray(0, length))).toBe(false);
    expect(verifier.toString('latin1')).not.toContain('correct');
  });
});

describe('attempts', () => {
  it('lets passphrases be guessed at full speed, or keeps the owner out for ever', async () => {
    const waits: number[] = [];
    const attempts = createAttempts(async (ms) => waits.push(ms));
    for (let guess = 0; guess < 9; guess += 1) await expect(attempts.run(async () => false)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
    await attempts.run(async () => true);
    await attempts.run(async () => true);
    expect(waits).toHaveLength(9);
  });

  it('lets guesses run side by side to share one wait', async () => {
    const waits: number[] = [];
    const attempts = createAttempts(async (ms) => waits.push(ms));
    let running = 0;
    const guess = async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise(setImmediate);
      running -= 1;
      return false;
    };
    await Promise.allSettled([attempts.run(guess), attempts.run(guess), attempts.run(guess)]);
    expect(waits).toEqual([250, 500]);
  });

  it('lets guesses pile up, each with its work and its wait, before the owner gets a turn', async () => {
    const gates: (() => void)[] = [];
    const attempts = createAttempts(async () => undefined);
    let checked = 0;
    const guess = () => attempts.run(() => ((checked += 1), new Promise<boolean>((resolve) => gates.push(() => resolve(false)))));
    const first = Array.from({ length: 5 }, () => guess().catch((error: { code: string }) => error.code));
    for (let flood = 0; flood < 200; flood += 1) await expect(guess()).rejects.toMatchObject({ code: 'PASSPHRASE_BUSY' });
    expect(checked).toBeLessThanOrEqual(1);
    for (let turn = 0; turn < 5; turn += 1) {
      while (gates.length === 0) await new Promise(setImmediate);
      gates.shift()!();
    }
    expect(await Promise.all(first)).toEqual(Array(5).fill('PASSPHRASE_WRONG'));
    await attempts.run(async () => true);
  });

  it('stops checking after a check that failed by itself', async () => {
    const attempts = createAttempts(async () => undefined);
    await expect(attempts.run(() => Promise.reject(new Error('disk')))).rejects.toThrow('disk');
    await attempts.run(async () => true);
  });
});
