import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BursarError } from '../../shared/errors/errors.ts';
import { readFileIfAny, writeFileAtomically } from '../state-file.ts';
import type { Bank, BankState, LandedTransaction } from './bank.ts';

const SAVE_EVERY_MS = 1_000;

const savedSchema = z.object({
  slot: z.string(),
  /** Unix milliseconds. */
  savedAt: z.number(),
  blockhashes: z.array(z.tuple([z.string(), z.string()])),
  transactionCount: z.int().min(0),
  /** litesvm's snapshot in base64. */
  snapshot: z.string(),
});
// Its own lines, written whole: the key fields tell that one is readable.
const transactionSchema = z.custom<LandedTransaction>(
  (value) => z.looseObject({ signature: z.string(), slot: z.string(), wire: z.string() }).safeParse(value).success,
);

/** A saved bank, and when it was saved (Unix milliseconds). */
export interface RestoredBank {
  readonly state: BankState;
  readonly savedAt: number;
}

const bankFile = (folder: string) => join(folder, 'solana.json');
const historyFile = (folder: string) => join(folder, 'solana-transactions.ndjson');

/**
 * Reads what {@link keepSaving} wrote into the folder; undefined where there is nothing. A transaction that is newer than the
 * snapshot (the process was killed in between) is dropped: it never happened. Throws `CONFIG_CORRUPT`.
 */
export async function restoreBank(folder: string): Promise<RestoredBank | undefined> {
  const text = await readFileIfAny(bankFile(folder));
  if (!text) return undefined;
  try {
    const saved = savedSchema.parse(JSON.parse(text.toString('utf8')));
    const history = (await readFileIfAny(historyFile(folder)))?.toString('utf8') ?? '';
    const lines = history.split('\n').slice(0, saved.transactionCount);
    await writeFileAtomically(historyFile(folder), lines.map((line) => `${line}\n`).join(''));
    const state: BankState = {
      snapshot: Buffer.from(saved.snapshot, 'base64'),
      slot: BigInt(saved.slot),
      blockhashes: saved.blockhashes.map(([hash, slot]) => [hash, BigInt(slot)]),
      transactions: lines.map((line) => transactionSchema.parse(JSON.parse(line))),
    };
    return { state, savedAt: saved.savedAt };
  } catch (cause) {
    throw new BursarError('CONFIG_CORRUPT', `The sandbox's Solana state in ${folder} cannot be read.`, {
      hint: 'Remove that folder to begin with a fresh sandbox; it holds play money only.',
      cause,
    });
  }
}

/** Saves the bank now, every second while transactions come in, and once more at `stop`. */
export async function keepSaving(bank: Bank, folder: string): Promise<{ stop(): Promise<void> }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let saved = 0;
  const known = await readFileIfAny(historyFile(folder));
  if (known) saved = known.toString('utf8').split('\n').length - 1;

  const save = async (): Promise<void> => {
    // Taken together, before the first await: the history may be ahead of the snapshot, never behind.
    const fresh = bank.transactionsFrom(saved);
    const file: z.infer<typeof savedSchema> = {
      slot: bank.slot.toString(),
      savedAt: Date.now(),
      blockhashes: bank.blockhashes.map(([hash, slot]) => [hash, slot.toString()]),
      transactionCount: saved + fresh.length,
      snapshot: Buffer.from(bank.svm.toBytes()).toString('base64'),
    };
    if (fresh.length > 0) await appendFile(historyFile(folder), fresh.map((item) => `${JSON.stringify(item)}\n`).join(''), { mode: 0o600 });
    saved += fresh.length;
    await writeFileAtomically(bankFile(folder), JSON.stringify(file));
  };

  await save();
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    if (bank.transactionCount === saved) return;
    running = running.then(save).catch((error: unknown) => console.error(`sandbox: cannot save the Solana state: ${String(error)}`));
  }, SAVE_EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
      await save();
    },
  };
}
