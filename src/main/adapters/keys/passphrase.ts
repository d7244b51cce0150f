import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BursarError } from '../../../shared/errors/errors.ts';

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** Cost of a guess: about 0.4 s and 128 MiB. */
export const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;
const MAX_MEMORY = 256 * 2 ** 20;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export const newSalt = (): Buffer => randomBytes(SALT_BYTES);

/** 32 bytes from a passphrase by scrypt. Unicode forms are unified (NFKC), since keyboards differ in them. */
export const deriveKey = (passphrase: string, salt: Uint8Array): Promise<Buffer> => derive(passphrase.normalize('NFKC'), salt, KEY_BYTES, { ...SCRYPT, maxmem: MAX_MEMORY });

/** What is kept of a passphrase that opens nothing by itself: a salt and a scrypt hash. */
export async function createVerifier(passphrase: string): Promise<Buffer> {
  const salt = newSalt();
  return Buffer.concat([salt, await deriveKey(passphrase, salt)]);
}

/** Whether a passphrase is the one of a verifier. */
export async function matchesVerifier(passphrase: string, verifier: Uint8Array): Promise<boolean> {
  if (verifier.length !== SALT_BYTES + KEY_BYTES) return false;
  return timingSafeEqual(await deriveKey(passphrase, verifier.subarray(0, SALT_BYTES)), verifier.subarray(SALT_BYTES));
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Slows guessing down: tries run one after the other, and each waits longer after every wrong one, up to eight seconds. */
export interface Attempts {
  /** Runs a check in its turn. Throws `PASSPHRASE_WRONG` when it says false. */
  run(check: () => Promise<boolean>): Promise<void>;
}

export function createAttempts(wait: (ms: number) => Promise<unknown> = sleep): Attempts {
  let wrong = 0;
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
    run(check) {
      const result = turn.then(() => attempt(check));
      turn = result.catch(() => undefined);
      return result;
    },
  };
}
