import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { argumentsHash } from '../../../src/core/payments/terms.ts';
import { buildChain } from '../../../src/main/adapters/store/chain.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { pastPayments, type PastPayment } from './past.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Accounts of a wallet that a person had before. */
const PAYERS = { evm: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', solana: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV' };

/** Writes the past into a database that nothing uses: payments with their events and budgets, under a whole chain. */
export function writePast(path: string, now: number): void {
  const db = openDatabase(path);
  const triggers = db.prepare<[], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
  const payment = db.prepare(`
    INSERT INTO payments (id, created_at, updated_at, client, upstream, tool, call_key, arguments_text, dialect, challenge_text, arguments_hash, scheme, network, asset, amount, payee, payer, flow,
      terms_digest, offer_text, decision, money, service, reason_code, reason_text, rule, policy_number, proof_text, track, outstanding_until, transaction_id, final, receipt_text)
    VALUES (@id, @at, @at + 4000, @client, @upstream, @tool, @key, @argumentsText, 'x402-mcp', '{"x402Version":2}', @argumentsHash, 'exact', @network, @asset, @amount, @payee, @payer, 'authorize',
      @digest, '{"scheme":"exact"}', @decision, @money, @service, @code, @reason, @rule, 1, @proof, @track, @until, @transaction, @final, @receipt)`);
  const event = db.prepare('INSERT INTO payment_events (payment_id, at, kind, detail) VALUES (?, ?, ?, ?)');
  const use = db.prepare('INSERT INTO budget_uses (payment, asset, units, usd, at, session) VALUES (?, ?, ?, ?, ?, ?)');
  const past = pastPayments(now);
  db.transaction(() => {
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    for (const [index, one] of past.entries()) {
      const { lastInsertRowid } = payment.run(rowOf(one, index));
      for (const [step, [kind, detail]] of one.outcome.events.entries()) event.run(idOf(index), one.at + step * 900, kind, detail);
      if (one.outcome.money === 'settled') use.run(lastInsertRowid, `${one.network}/${one.network === EVM_NETWORK ? 'erc20' : 'token'}:${one.asset}`, String(one.units), String(one.units), one.at, '');
    }
    db.exec('UPDATE journal_clock SET high_water = (SELECT max(at) FROM payment_events)');
    buildChain(db, past[0]?.at ?? now);
    for (const { sql } of triggers) db.exec(sql);
  })();
  db.close();
}

const transactionOf = (network: string, index: number): string => {
  const bytes = createHash('sha512').update(`transaction ${index}`).digest();
  return network === EVM_NETWORK ? `0x${bytes.subarray(0, 32).toString('hex')}` : base58.encode(bytes);
};

const idOf = (index: number): string => `pay_${sha256(`past ${index}`).slice(0, 24)}`;

function rowOf({ at, client, upstream, tool, argumentsText, network, asset, units, payee, outcome }: PastPayment, index: number): Record<string, string | number | null> {
  const { decision, money, service, code, reason, rule } = outcome;
  const signed = money !== 'none';
  const settled = money === 'settled';
  return {
    id: idOf(index),
    at,
    client,
    upstream,
    tool,
    key: sha256(`call ${index}`),
    argumentsText,
    argumentsHash: argumentsHash(argumentsText),
    network,
    asset,
    amount: String(units),
    payee,
    payer: network === EVM_NETWORK ? PAYERS.evm : PAYERS.solana,
    digest: sha256(`terms ${index}`),
    decision,
    money,
    service,
    code,
    reason,
    rule,
    proof: signed ? '{"signature":"0x00"}' : '',
    track: signed ? `{"nonce":"${index}"}` : null,
    until: signed ? at + 60_000 : null,
    transaction: settled ? transactionOf(network, index) : '',
    final: settled ? 1 : 0,
    receipt: settled ? '{"success":true}' : '',
  };
}
