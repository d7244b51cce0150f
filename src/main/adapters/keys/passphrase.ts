import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BursarError } from '../../../shared/errors/errors.ts';

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** scrypt's N for new passphrases: a guess costs about 0.4 s and 128 MiB. It is stored with what it protects, so that it can grow. */
export const DEFAULT_COST = 2 ** 17;
const R = 8;
const P = 1;
const MIN_COST_BITS = 10;
const MAX_COST_BITS = 20;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export const newSalt = (): Buffer => randomBytes(SALT_BYTES);

/** Whether a stored N is one that this program would use: a power of two that neither hangs it nor eats its memory. */
export const isCost = (n: number): boolean => Number.isInteger(Math.log2(n)) && n >= 2 ** MIN_COST_BITS && n <= 2 ** MAX_COST_BITS;

/** 32 bytes from a passphrase by scrypt, r = 8, p = 1. Unicode forms are unified (NFKC), since keyboards differ in them. */
export const deriveKey = (passphrase: string, salt: Uint8Array, cost: number): Promise<Buffer> =>
  derive(passphrase.normalize('NFKC'), salt, KEY_BYTES, { N: cost, r: R, p: P, maxmem: 2 * 128 * cost * R });

/** What is kept of a passphrase that opens nothing by itself: log2 of the cost, a salt and a scrypt hash. */
export async function createVerifier(passphrase: string, cost: number): Promise<Buffer> {
  const salt = newSalt();
  return Buffer.concat([Buffer.of(Math.log2(cost)), salt, await deriveKey(passphrase, salt, cost)]);
}

/** Whether a passphrase is the one of a verifier. */
export async function matchesVerifier(passphrase: string, verifier: Uint8Array): Promise<boolean> {
  const cost = 2 ** (verifier[0] ?? 0);
  if (verifier.length !== 1 + SALT_BYTES + KEY_BYTES || !isCost(cost)) return false;
  const [salt, key] = [verifier.subarray(1, 1 + SALT_BYTES), verifier.subarray(1 + SALT_BYTES)];
  return timingSafeEqual(await deriveKey(passphrase, salt, cost), key);
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Tries that may wait for the one that runs. More would make the owner wait for whoever guesses, and hold their passphrases in memory. */
const MAX_WAITING = 4;

/** Slows guessing down: tries run one after the other, and each waits longer after every wrong one, up to eight seconds; few may wait. */
export interface Attempts {
  /** Runs a check in its turn. Throws `PASSPHRASE_WRONG` when it says false, `PASSPHRASE_BUSY` at once where too many wait already. */
  run(check: () => Promise<boolean>): Promise<void>;
}

export function createAttempts(wait: (ms: number) => Promise<unknown> = sleep): Attempts {
  let wrong = 0;
  let open = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const attempt = async (check: () => Promise<boolean>): Promise<void> => {
    if (wrong > 0) await wait(Math.min(FIRST_DELAY_MS * 2 ** (wrong - 1), MAX_DELAY_MS));
    if (!(await check())) {
      wrong += 1;
      throw new BursarError('PASSPHRASE_WRONG', 'That is not the passphrase.');
    }
    wrong = 0;
  };
  return {
    async run(check) {
      if (open > MAX_WAITING) throw new BursarError('PASSPHRASE_BUSY', `${open} passphrases wait to be checked already.`);
      open += 1;
      const result = turn.then(() => attempt(check)).finally(() => (open -= 1));
      turn = result.catch(() => undefined);
      return result;
    },
  };
}
