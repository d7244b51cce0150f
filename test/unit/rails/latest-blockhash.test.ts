import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '../../../src/main/adapters/chain/endpoint.ts';
import { readLatestBlockhash } from '../../../src/main/adapters/chain/solana-reader.ts';

/** A server that answers with a blockhash of this end. */
const server = (slot: number, lastValidBlockHeight: number): Endpoint => ({
  host: 'rpc.test',
  hostname: 'rpc.test',
  ask: async <T>(_method: string, _params: readonly unknown[], shape: z.ZodType<T>) => shape.parse({ context: { slot }, value: { blockhash: 'x', lastValidBlockHeight } }),
  askAll: () => Promise.reject(new Error('asked more than once')),
  close: () => {},
});
const read = (slot: number, end: number) => readLatestBlockhash(server(slot, end), new AbortController().signal);

test('I5: a server’s word lets a payment hold its budget for longer than any blockhash lives', async () => {
  expect(await read(1000, 1150)).toEqual({ blockhash: 'x', lastValidBlockHeight: 1150n, slot: 1000n });
  // Skipped slots leave the height behind.
  expect((await read(1000, 700)).lastValidBlockHeight).toBe(700n);
  await expect(read(1000, 1201)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  await expect(read(1000, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
});
