import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { startSolanaChain } from '../../../src/sandbox/solana/chain.ts';

const OWNER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
// An hour a slot: in these tests time passes only where it is told to.
const slotMs = 3_600_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a transaction that reached the history but not the snapshot never happened, and may be sent again', async () => {
  const first = await startSolanaChain({ folder, slotMs });
  await first.fund(OWNER, { usdc: 5n });
  await first.close();
  const history = join(folder, 'solana-transactions.ndjson');
  const whole = await readFile(history, 'utf8');
  await appendFile(history, whole.split('\n')[0]!.replace(/"signature":"./, '"signature":"x'));

  const second = await startSolanaChain({ folder, slotMs });
  expect(second.bank.transactionCount).toBe(1);
  expect(await second.balance(OWNER)).toBe(5n);
  await second.fund(OWNER, { usdc: 2n });
  await second.close();

  const third = await startSolanaChain({ folder, slotMs });
  expect([third.bank.transactionCount, await third.balance(OWNER)]).toEqual([2, 7n]);
  await third.close();
});

test('slots go on while the sandbox is down, so that what was signed before expires as on a real network', async () => {
  const first = await startSolanaChain({ folder, slotMs });
  const { blockhash } = first.bank.latestBlockhash('confirmed');
  await first.close();
  const file = join(folder, 'solana.json');
  const saved = JSON.parse(await readFile(file, 'utf8')) as { savedAt: number };

  const soon = await startSolanaChain({ folder, slotMs });
  expect(soon.bank.isBlockhashUsable(blockhash)).toBe(true);
  await soon.close();
  await writeFile(file, JSON.stringify({ ...saved, savedAt: Date.now() - 151 * slotMs }));
  const late = await startSolanaChain({ folder, slotMs });
  expect(late.bank.isBlockhashUsable(blockhash)).toBe(false);
  await late.close();
});

test.each(['solana.json', 'evm.state'])('a damaged %s stops the start, is named, and is not overwritten', async (name) => {
  await (await startSandbox({ dir: folder, slotMs: 50 })).close();
  const file = join(folder, name);
  await writeFile(file, 'damaged');
  await expect(startSandbox({ dir: folder, slotMs: 50 })).rejects.toMatchObject({ code: 'CONFIG_CORRUPT', message: expect.stringContaining(folder) });
  expect(await readFile(file, 'utf8')).toBe('damaged');
});
