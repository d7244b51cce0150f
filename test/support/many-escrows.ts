import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { REGISTERED } from '../../src/core/registry/assets.ts';
import { systemClock } from '../../src/main/adapters/clock.ts';
import { createChains } from '../../src/main/adapters/chain/chains.ts';
import { createSealer } from '../../src/main/adapters/keys/sealer.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';
import { createEscrowStore } from '../../src/main/adapters/store/escrows.ts';
import { createJournal } from '../../src/main/adapters/store/journal.ts';
import { createFollow } from '../../src/main/escrow/follow.ts';
import { createSweep } from '../../src/main/escrow/sweep.ts';
import { baseUnits } from '../../src/shared/money/money.ts';
import { EVM_NETWORK, EVM_USDC } from '../../src/sandbox/networks.ts';
import { created, newPayment } from '../unit/store/payments.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const never = () => Promise.reject(new Error('nothing is to be moved'));
const UNITS = 1_500_000n;
/** Rows in one transaction, so that filling the ledger takes no sync to disk for each. */
const CHUNK = 1_000;

/**
 * So many links that wait to be claimed, in a ledger on disk, on a chain whose RPC server (a real one, over HTTP) says of each that its money is there. Gives what
 * one sweep over all of them took, and the longest time for which nothing else could run.
 */
export async function sweepMany(folder: string, count: number): Promise<{ readonly looked: number; readonly sweepMs: number; readonly longestBlockMs: number }> {
  const rpc = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string };
      const result = method === 'eth_chainId' ? '0x14a34' : method === 'eth_call' ? `0x${UNITS.toString(16).padStart(64, '0')}` : { number: '0x10', timestamp: '0x6553f100' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  }).listen(0, '127.0.0.1');
  await once(rpc, 'listening');
  const chains = createChains({ networks: { [EVM_NETWORK]: { rpcUrls: [`http://127.0.0.1:${(rpc.address() as AddressInfo).port}`] } }, real: () => false, log: silent });
  const db = openDatabase(join(folder, 'sweep.db'));
  try {
    const clock = systemClock;
    const journal = createJournal(db, clock);
    const store = createEscrowStore(db, clock, createSealer(() => new Uint8Array(32).fill(1)));
    const details = { recipient: { kind: 'email' as const, to: 'ada@example.org', name: '' }, memo: '' };
    const addressOf = (number: number) => `0x${(number + 0x10000).toString(16).padStart(40, '0')}`;
    for (let first = 0; first < count; first += CHUNK) {
      const numbers = Array.from({ length: Math.min(CHUNK, count - first) }, (_, index) => first + index);
      journal.atomically((tx) => {
        for (const number of numbers) {
          const id = `pay_${number}`;
          const { terms } = newPayment(id);
          if (!terms) throw new Error('a payment has terms');
          tx.insert(newPayment(id, { dialect: 'order', terms: { ...terms, dialect: 'order', scheme: 'transfer', payee: addressOf(number), amount: baseUnits(UNITS) } }), [], created);
          tx.change(id, { decision: 'approved', money: 'outstanding', proofText: '{}', track: { kind: 'transfer-evm' }, outstandingUntil: 1 }, created);
          tx.change(id, { money: 'settled' }, created);
        }
      });
      for (const number of numbers) {
        await store.insert({ id: `esc_${number.toString(16)}`, keyIndex: `1/${number}`, orderKey: String(number), network: EVM_NETWORK, asset: EVM_USDC, units: baseUnits(UNITS), address: addressOf(number), expiresAt: clock.now() + 86_400_000 }, details);
      }
    }
    db.exec(`UPDATE escrows SET state = 'notified', delivery = 'sent'`);
    const follow = createFollow({ store, seed: { locked: false, useEscrow: never }, integrity: { requireWhole: async () => {}, mayRecord: () => true }, assets: REGISTERED, moves: { sign: never, submit: never, observe: never }, chains: () => chains, deliver: never, clock, log: silent, changed: () => {} });
    const sweep = createSweep({ store, follow, clock, log: silent });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const begun = performance.now();
    const looked = await sweep.run(new AbortController().signal);
    const sweepMs = Math.round(performance.now() - begun);
    delay.disable();
    return { looked, sweepMs, longestBlockMs: Math.round(delay.max / 1e5) / 10 };
  } finally {
    db.close();
    chains.close();
    rpc.close();
    rpc.closeAllConnections();
  }
}
