import { createHash } from 'node:crypto';
import { buildChain } from '../../src/main/adapters/store/chain.ts';
import { openDatabase } from '../../src/main/adapters/store/database.ts';

/** Payments a day in the made-up past, so that a million of them fill some years. */
const PER_DAY = 1000;
const DAY_MS = 86_400_000;

/** A database with `rows` delivered payments over the past, each with two events and its use of budget, under a whole chain. */
export function createLedgerOf(path: string, rows: number, { upstream }: { readonly upstream: string }): void {
  const db = openDatabase(path);
  const triggers = db.prepare<[], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
  // A file that is thrown away needs no journal on the disk while it is made (SQLite's defensive mode keeps one), and its indexes fit into memory.
  for (const setting of ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -400000', 'temp_store = MEMORY']) db.pragma(setting);
  db.function('sha256', (text: unknown) => createHash('sha256').update(String(text)).digest('hex'));
  const begin = Date.now() - Math.ceil(rows / PER_DAY + 1) * DAY_MS;
  const at = `${begin} + seq * ${DAY_MS / PER_DAY}`;
  db.transaction(() => {
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    db.exec(`
      INSERT INTO payments (seq, id, created_at, updated_at, client, upstream, tool, call_key, arguments_text, dialect, challenge_text, arguments_hash, scheme, network, asset,
        amount, payee, payer, flow, terms_digest, offer_text, decision, money, service, reason_code, reason_text, rule, policy_number, proof_text, track, outstanding_until,
        transaction_id, final, receipt_text)
      WITH RECURSIVE n (seq) AS (SELECT 1 WHERE ${rows} > 0 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${rows})
      SELECT seq, 'pay_' || substr(sha256(seq), 1, 24), ${at}, ${at}, 'agent', '${upstream}', 'forecast', sha256('call' || seq), '{"city":"Berlin","day":' || seq || '}', 'x402-mcp',
        '{"x402Version":2,"accepts":[{"scheme":"exact","network":"eip155:84532"}]}', sha256('arguments' || seq), 'exact', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        '10000', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'authorize', sha256('terms' || seq), '{"scheme":"exact"}',
        'approved', 'settled', 'delivered', '', '', 'Rule: allow', 1, '{"signature":"0x00"}', '{"nonce":"' || seq || '"}', ${at} + 60000, '0x' || sha256('tx' || seq), 1, '{"success":true}'
      FROM n;
      INSERT INTO payment_events (seq, payment_id, at, kind, detail) SELECT 2 * seq - 1, id, created_at, 'challenged', 'Rule: allow' FROM payments;
      INSERT INTO payment_events (seq, payment_id, at, kind, detail) SELECT 2 * seq, id, created_at, 'observed', 'settled' FROM payments;
      INSERT INTO budget_uses (payment, asset, units, usd, at, session) SELECT seq, network || '/erc20:' || asset, amount, amount, created_at, '' FROM payments;
      UPDATE journal_clock SET high_water = (SELECT coalesce(max(at), 0) FROM payment_events);
    `);
    buildChain(db, begin);
    for (const { sql } of triggers) db.exec(sql);
  })();
  db.close();
}
