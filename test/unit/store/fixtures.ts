import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { NewPayment } from '../../../src/core/payments/payment.ts';
import type { Clock, Journal } from '../../../src/core/ports.ts';
import { openDatabase, type Db } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock that a test moves by hand. */
export const handClock = (at = 1_700_000_000_000): Clock & { at: number } => ({
  at,
  now() {
    return this.at;
  },
});

export interface Store {
  readonly db: Db;
  readonly path: string;
  readonly journal: Journal;
  readonly clock: Clock & { at: number };
}

/** A journal on a real file. */
export function openStore(): Store {
  const path = join(temporaryFolder(), 'bursar.db');
  const db = openDatabase(path);
  onTestFinished(() => void db.close());
  const clock = handClock();
  return { db, path, journal: createJournal(db, clock), clock };
}

export const created = { kind: 'challenged', detail: 'the server asked for money' };

const terms = {
  client: 'client-1',
  upstream: 'demo',
  tool: 'joke',
  argumentsHash: 'a'.repeat(64),
  dialect: 'x402-mcp',
  scheme: 'exact',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  amount: baseUnits(10_000n),
  payee: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  flow: 'authorize',
} as const;

/** A payment that waits for the owner with its money reserved. */
export const newPayment = (id: string, over: Partial<NewPayment> = {}): NewPayment => ({
  id,
  client: 'client-1',
  upstream: 'demo',
  tool: 'joke',
  callKey: `call-of-${id}`,
  argumentsText: '{"topic":"tea","n":9007199254740993}',
  dialect: 'x402-mcp',
  challengeText: '{"x402Version":2}',
  terms,
  termsDigest: 'd'.repeat(64),
  offerText: '{"scheme":"exact"}',
  decision: 'waiting',
  money: 'reserved',
  service: 'open',
  reason: { code: '', text: '' },
  rule: 'ask for everything',
  policyNumber: 1,
  ...over,
});
