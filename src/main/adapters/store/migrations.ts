import { buildChain } from './chain.ts';
import type { Db } from './database.ts';
import { buildPolicyChain } from './policy-chain.ts';

/** One step of the schema. Its number is its place in the list, from 1; a released one is never edited. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** What SQL cannot do, after it and in the same transaction. */
  readonly run?: (db: Db) => void;
}

/**
 * The journal and what else the owner keeps.
 *
 * The triggers refuse what the code must never do, whoever writes: a timeline that is rewritten, terms that change after they were
 * approved, money that moves off the arrows of the design's life cycle, budget freed while money may still move (I3, I5).
 * The arrows live in triggers and not in CHECKs, so that a later migration can widen them without rebuilding a table.
 */
const SPINE = `
CREATE TABLE payments (
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT    NOT NULL UNIQUE,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  client            TEXT    NOT NULL,
  upstream          TEXT    NOT NULL,
  tool              TEXT    NOT NULL,
  call_key          TEXT    NOT NULL,
  arguments_text    TEXT    NOT NULL,
  dialect           TEXT    NOT NULL,
  challenge_text    TEXT    NOT NULL,
  arguments_hash    TEXT,
  scheme            TEXT,
  network           TEXT,
  asset             TEXT,
  amount            TEXT    CHECK (amount NOT GLOB '*[^0-9]*' AND amount <> ''),
  payee             TEXT,
  payer             TEXT,
  flow              TEXT    CHECK (flow IN ('authorize', 'prepay', 'hold')),
  terms_digest      TEXT    NOT NULL,
  offer_text        TEXT    NOT NULL,
  decision          TEXT    NOT NULL CHECK (decision IN ('waiting', 'approved', 'denied', 'rejected', 'expired', 'cancelled')),
  money             TEXT    NOT NULL,
  service           TEXT    NOT NULL CHECK (service IN ('open', 'delivered', 'refused', 'lost')),
  reason_code       TEXT    NOT NULL,
  reason_text       TEXT    NOT NULL,
  rule              TEXT    NOT NULL,
  policy_number     INTEGER NOT NULL,
  proof_text        TEXT    NOT NULL DEFAULT '',
  track             TEXT,
  outstanding_until INTEGER,
  transaction_id    TEXT    NOT NULL DEFAULT '',
  final             INTEGER NOT NULL DEFAULT 0 CHECK (final IN (0, 1)),
  receipt_text      TEXT    NOT NULL DEFAULT '',
  answer_text       TEXT    NOT NULL DEFAULT '',
  CHECK (money = 'none' OR scheme IS NOT NULL),
  CHECK ((scheme IS NULL) = (arguments_hash IS NULL) AND (scheme IS NULL) = (network IS NULL) AND (scheme IS NULL) = (asset IS NULL)
    AND (scheme IS NULL) = (amount IS NULL) AND (scheme IS NULL) = (payee IS NULL) AND (scheme IS NULL) = (payer IS NULL) AND (scheme IS NULL) = (flow IS NULL)),
  CHECK (final = 0 OR money = 'settled')
) STRICT;

CREATE INDEX payments_of_call ON payments (call_key, seq) WHERE decision IN ('waiting', 'approved');
CREATE INDEX payments_unresolved ON payments (seq) WHERE money IN ('reserved', 'outstanding') OR (money = 'settled' AND final = 0);

CREATE TRIGGER payments_begin BEFORE INSERT ON payments WHEN NEW.money NOT IN ('none', 'reserved')
BEGIN SELECT RAISE(ABORT, 'a payment begins with money none or reserved'); END;

CREATE TRIGGER payments_terms BEFORE UPDATE OF seq, id, created_at, client, upstream, tool, call_key, arguments_text, dialect, challenge_text,
  arguments_hash, scheme, network, asset, amount, payee, payer, flow, terms_digest, offer_text, policy_number ON payments
BEGIN SELECT RAISE(ABORT, 'the terms of a payment never change'); END;

CREATE TRIGGER payments_money BEFORE UPDATE OF money ON payments
WHEN NEW.money <> OLD.money AND OLD.money || '>' || NEW.money NOT IN
  ('reserved>none', 'reserved>dead', 'reserved>outstanding', 'outstanding>settled', 'outstanding>dead', 'settled>outstanding')
BEGIN SELECT RAISE(ABORT, 'money cannot move that way'); END;

CREATE TRIGGER payments_traced BEFORE UPDATE ON payments WHEN NEW.money = 'outstanding' AND NEW.track IS NULL
BEGIN SELECT RAISE(ABORT, 'outstanding money needs a track to be found again'); END;

CREATE TRIGGER payments_final BEFORE UPDATE OF money, final ON payments WHEN OLD.final = 1 AND (NEW.final = 0 OR NEW.money <> OLD.money)
BEGIN SELECT RAISE(ABORT, 'a final settlement never changes'); END;

CREATE TRIGGER payments_kept BEFORE DELETE ON payments
BEGIN SELECT RAISE(ABORT, 'a payment is never deleted'); END;

CREATE TABLE payment_events (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  payment_id TEXT    NOT NULL REFERENCES payments (id),
  at         INTEGER NOT NULL,
  kind       TEXT    NOT NULL CHECK (kind <> ''),
  detail     TEXT    NOT NULL
) STRICT;

CREATE INDEX payment_events_of ON payment_events (payment_id, seq);

CREATE TRIGGER payment_events_fixed BEFORE UPDATE ON payment_events
BEGIN SELECT RAISE(ABORT, 'the timeline is append-only'); END;

CREATE TRIGGER payment_events_kept BEFORE DELETE ON payment_events
BEGIN SELECT RAISE(ABORT, 'the timeline is append-only'); END;

CREATE TABLE budget_uses (
  payment_id TEXT NOT NULL REFERENCES payments (id),
  counter    TEXT NOT NULL,
  units      TEXT NOT NULL CHECK (units NOT GLOB '*[^0-9]*' AND units <> ''),
  PRIMARY KEY (payment_id, counter)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER budget_uses_reserve BEFORE INSERT ON budget_uses WHEN (SELECT money FROM payments WHERE id = NEW.payment_id) IS NOT 'reserved'
BEGIN SELECT RAISE(ABORT, 'only a reservation uses budget'); END;

CREATE TRIGGER budget_uses_fixed BEFORE UPDATE ON budget_uses
BEGIN SELECT RAISE(ABORT, 'a use of budget never changes'); END;

CREATE TRIGGER budget_uses_release BEFORE DELETE ON budget_uses WHEN (SELECT money FROM payments WHERE id = OLD.payment_id) NOT IN ('none', 'dead')
BEGIN SELECT RAISE(ABORT, 'budget is freed only when the money cannot move'); END;

CREATE TABLE budget_counters (
  counter TEXT PRIMARY KEY,
  units   TEXT NOT NULL CHECK (units NOT GLOB '*[^0-9]*' AND units <> '')
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_clock (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  high_water INTEGER NOT NULL
) STRICT;

INSERT INTO journal_clock (one, high_water) VALUES (1, 0);

CREATE TRIGGER journal_clock_forward BEFORE UPDATE ON journal_clock WHEN NEW.high_water < OLD.high_water
BEGIN SELECT RAISE(ABORT, 'the high-water clock never goes back'); END;

CREATE TRIGGER journal_clock_kept BEFORE DELETE ON journal_clock
BEGIN SELECT RAISE(ABORT, 'the high-water clock never goes back'); END;

CREATE TABLE policy_versions (
  number   INTEGER PRIMARY KEY CHECK (number > 0),
  saved_at INTEGER NOT NULL,
  author   TEXT    NOT NULL,
  json     TEXT    NOT NULL
) STRICT;

CREATE TRIGGER policy_versions_fixed BEFORE UPDATE ON policy_versions
BEGIN SELECT RAISE(ABORT, 'a policy version never changes'); END;

CREATE TRIGGER policy_versions_kept BEFORE DELETE ON policy_versions
BEGIN SELECT RAISE(ABORT, 'a policy version never changes'); END;

CREATE TABLE upstreams (
  name           TEXT    PRIMARY KEY,
  transport      TEXT    NOT NULL,
  sealed_secrets BLOB,
  enabled        INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  added_at       INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT NOT NULL UNIQUE,
  label     TEXT NOT NULL,
  namespace TEXT NOT NULL CHECK (namespace IN ('eip155', 'solana')),
  address   TEXT NOT NULL,
  source    TEXT NOT NULL CHECK (source IN ('seed', 'imported')),
  path      TEXT NOT NULL,
  UNIQUE (namespace, address)
) STRICT;

CREATE TABLE clients (
  id           TEXT    PRIMARY KEY,
  name         TEXT    NOT NULL UNIQUE,
  token_hash   BLOB    NOT NULL UNIQUE,
  sealed_token BLOB,
  created_at   INTEGER NOT NULL
) STRICT;
`;

/**
 * What a payment holds of budgets, as facts of the payment and not as sums of caps (docs/decisions/0007-budget-sums.md), and how to find
 * what was settled for a tool or to a payee.
 */
const BUDGETS = `
CREATE TABLE held (
  payment INTEGER NOT NULL REFERENCES payments (seq),
  asset   TEXT    NOT NULL,
  units   TEXT    NOT NULL CHECK (units NOT GLOB '*[^0-9]*' AND units <> ''),
  usd     TEXT    CHECK (usd NOT GLOB '*[^0-9]*' AND usd <> ''),
  at      INTEGER NOT NULL,
  session TEXT    NOT NULL,
  PRIMARY KEY (payment, asset)
) STRICT, WITHOUT ROWID;

INSERT INTO held (payment, asset, units, usd, at, session)
SELECT seq, network || CASE WHEN network LIKE 'eip155:%' THEN '/erc20:' ELSE '/token:' END || asset, amount,
  (SELECT units FROM budget_uses WHERE payment_id = id LIMIT 1), created_at, ''
FROM payments WHERE EXISTS (SELECT 1 FROM budget_uses WHERE payment_id = id);

DROP TABLE budget_uses;
DROP TABLE budget_counters;
ALTER TABLE held RENAME TO budget_uses;

CREATE INDEX budget_uses_time ON budget_uses (at);
CREATE INDEX budget_uses_session ON budget_uses (session) WHERE session <> '';

CREATE TRIGGER budget_uses_reserve BEFORE INSERT ON budget_uses WHEN (SELECT money FROM payments WHERE seq = NEW.payment) IS NOT 'reserved'
BEGIN SELECT RAISE(ABORT, 'only a reservation uses budget'); END;

CREATE TRIGGER budget_uses_fixed BEFORE UPDATE ON budget_uses
BEGIN SELECT RAISE(ABORT, 'a use of budget never changes'); END;

CREATE TRIGGER budget_uses_release BEFORE DELETE ON budget_uses WHEN (SELECT money FROM payments WHERE seq = OLD.payment) NOT IN ('none', 'dead')
BEGIN SELECT RAISE(ABORT, 'budget is freed only when the money cannot move'); END;

CREATE INDEX payments_settled_for_tool ON payments (upstream, tool, seq) WHERE money = 'settled';
CREATE INDEX payments_settled_to ON payments (network, payee) WHERE money = 'settled';
`;

/**
 * The hash chain over the journal (each event is a link), the one over the policy versions, the checkpoint that the wallet's MAC covers,
 * and what the owner accepted although it had been changed from outside.
 */
const TAMPERING = `
ALTER TABLE payment_events ADD COLUMN money_hash BLOB NOT NULL DEFAULT x'';
ALTER TABLE payment_events ADD COLUMN row_hash BLOB NOT NULL DEFAULT x'';
ALTER TABLE payment_events ADD COLUMN hash BLOB NOT NULL DEFAULT x'';

-- The hashes alone are computed anew when the owner accepts a changed ledger.
DROP TRIGGER payment_events_fixed;
CREATE TRIGGER payment_events_fixed BEFORE UPDATE OF seq, payment_id, at, kind, detail ON payment_events
BEGIN SELECT RAISE(ABORT, 'the timeline is append-only'); END;

ALTER TABLE policy_versions ADD COLUMN hash BLOB NOT NULL DEFAULT x'';

DROP TRIGGER policy_versions_fixed;
CREATE TRIGGER policy_versions_fixed BEFORE UPDATE OF number, saved_at, author, json ON policy_versions
BEGIN SELECT RAISE(ABORT, 'a policy version never changes'); END;

CREATE TABLE ledger_checkpoint (
  one           INTEGER PRIMARY KEY CHECK (one = 1),
  epoch         BLOB    NOT NULL,
  seq           INTEGER NOT NULL,
  hash          BLOB    NOT NULL,
  policy_number INTEGER NOT NULL,
  policy_hash   BLOB    NOT NULL,
  high_water    INTEGER NOT NULL,
  uses_mac  BLOB    NOT NULL,
  mac           BLOB    NOT NULL
) STRICT;

CREATE TABLE ledger_acceptances (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  at       INTEGER NOT NULL,
  author   TEXT    NOT NULL,
  findings TEXT    NOT NULL
) STRICT;

CREATE TRIGGER ledger_acceptances_fixed BEFORE UPDATE ON ledger_acceptances
BEGIN SELECT RAISE(ABORT, 'an acceptance never changes'); END;

CREATE TRIGGER ledger_acceptances_kept BEFORE DELETE ON ledger_acceptances
BEGIN SELECT RAISE(ABORT, 'an acceptance never changes'); END;
`;

/** What a call that comes back has missed, and how reliably an upstream delivers. */
const LIFE_CYCLE = `
CREATE INDEX payments_untold ON payments (call_key, seq) WHERE service = 'lost' AND decision IN ('rejected', 'expired', 'cancelled');
CREATE INDEX payments_delivered ON payments (upstream, seq) WHERE service = 'delivered';
CREATE INDEX payments_undelivered ON payments (upstream, seq) WHERE money = 'settled' AND answer_text = '' AND service IN ('refused', 'lost');

-- A call that was being answered is not at rest either, whatever its money.
DROP INDEX payments_unresolved;
CREATE INDEX payments_unresolved ON payments (seq)
  WHERE money IN ('reserved', 'outstanding') OR (money = 'settled' AND final = 0) OR (service = 'open' AND decision = 'approved');

CREATE TABLE delivery_pardons (
  upstream  TEXT    PRIMARY KEY,
  after_seq INTEGER NOT NULL
) STRICT;
`;

/** Every way to pay that a server offered, and why the others were not taken. */
const OFFERS = `
ALTER TABLE payments ADD COLUMN offers_text TEXT NOT NULL DEFAULT '';

CREATE TRIGGER payments_offers BEFORE UPDATE OF offers_text ON payments
BEGIN SELECT RAISE(ABORT, 'the terms of a payment never change'); END;
`;

/** Accounts that are no key pair, and accounts that pay from another wallet's token accounts. */
const ACCOUNTS = `
CREATE TABLE accounts_next (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  label          TEXT NOT NULL,
  namespace      TEXT NOT NULL CHECK (namespace IN ('eip155', 'solana', 'dev', 'stripe')),
  address        TEXT NOT NULL,
  source         TEXT NOT NULL CHECK (source IN ('seed', 'imported')),
  path           TEXT NOT NULL,
  delegated_from TEXT NOT NULL DEFAULT '' CHECK (delegated_from = '' OR namespace = 'solana'),
  UNIQUE (namespace, address)
) STRICT;

INSERT INTO accounts_next (seq, id, label, namespace, address, source, path) SELECT seq, id, label, namespace, address, source, path FROM accounts;
DROP TABLE accounts;
ALTER TABLE accounts_next RENAME TO accounts;
`;

/** The newest signed payment of a call, under the very condition that the journal asks with: SQLite takes a partial index for no other. */
const CALLS = `
DROP INDEX payments_of_call;
CREATE INDEX payments_of_call ON payments (call_key, seq) WHERE decision = 'approved' AND proof_text <> '';
`;

/** Which payments were signed under a nonce that the server gave. SQLite takes the index for this very expression and condition alone. */
const SERVER_NONCES = `
CREATE INDEX payments_server_nonce ON payments (payer, CASE WHEN json_valid(track) THEN json_extract(track, '$.nonce') END) WHERE dialect IN ('mpp', 'mpp-http') AND track IS NOT NULL;
`;

/** From when on the checkpoint's MAC covers the uses of budget: all of them in one that was written before. */
const USES_SINCE = `ALTER TABLE ledger_checkpoint ADD COLUMN uses_since INTEGER NOT NULL DEFAULT 0;`;

/** A text that the server chose and that is signed with the payment. */
const MEMO = `
ALTER TABLE payments ADD COLUMN memo TEXT;

CREATE TRIGGER payments_memo BEFORE UPDATE OF memo ON payments
BEGIN SELECT RAISE(ABORT, 'the terms of a payment never change'); END;
`;

/** Answers that wait for their client, by age. */
const KEPT_ANSWERS = `CREATE INDEX payments_kept ON payments (updated_at) WHERE service = 'lost' AND answer_text <> '';`;

/**
 * The instance of a challenge that is answered may be newer than the one that the owner was asked about, under the very same terms: the
 * signature writes it down, and nothing else does.
 */
const INSTANCE = `
DROP TRIGGER payments_terms;
CREATE TRIGGER payments_terms BEFORE UPDATE OF seq, id, created_at, client, upstream, tool, call_key, arguments_text, dialect,
  arguments_hash, scheme, network, asset, amount, payee, payer, flow, terms_digest, policy_number ON payments
BEGIN SELECT RAISE(ABORT, 'the terms of a payment never change'); END;

CREATE TRIGGER payments_instance BEFORE UPDATE OF challenge_text, offer_text ON payments
WHEN NOT (OLD.money = 'reserved' AND NEW.money = 'outstanding')
BEGIN SELECT RAISE(ABORT, 'the challenge of a payment changes with its signature alone'); END;
`;

/**
 * Secrets of how a server's tokens are got, and the tokens themselves: sealed, and bound to server, address, issuer, client and resource. A row
 * without "sealed" is a grant that is over, so that the owner has to sign in again.
 */
const UPSTREAM_GRANTS = `
ALTER TABLE upstreams ADD COLUMN sealed_auth BLOB;

CREATE TABLE upstream_grants (
  upstream     TEXT    PRIMARY KEY REFERENCES upstreams (name) ON DELETE CASCADE,
  issuer       TEXT    NOT NULL,
  client_id    TEXT    NOT NULL,
  resource     TEXT    NOT NULL,
  scope        TEXT    NOT NULL,
  wanted_scope TEXT    NOT NULL DEFAULT '',
  sealed       BLOB,
  updated_at   INTEGER NOT NULL
) STRICT;
`;

/** What a client may do, how it proves itself, and when it came last. Who could connect before keeps what could be done then. */
const ACCESS = `
ALTER TABLE clients ADD COLUMN credential TEXT NOT NULL DEFAULT 'key' CHECK (credential IN ('key', 'oauth'));
ALTER TABLE clients ADD COLUMN scopes TEXT NOT NULL DEFAULT 'payment_context:read x402:execute';
ALTER TABLE clients ADD COLUMN last_seen INTEGER;
ALTER TABLE clients ADD COLUMN revoked_at INTEGER;
`;
/** Which payments a transaction settled: it settles each transfer in it once (I1). */
const SETTLED_BY = `CREATE INDEX payments_settled_by ON payments (transaction_id, network) WHERE money = 'settled';`;

/** Several seeds with several accounts each, accounts that are only watched, and accounts that the owner put out of sight. */
const SEEDS = `
CREATE TABLE seeds (
  id          TEXT    PRIMARY KEY,
  label       TEXT    NOT NULL,
  words       INTEGER NOT NULL,
  added_at    INTEGER NOT NULL,
  revealed_at INTEGER
) STRICT;

CREATE TABLE accounts_next (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT    NOT NULL UNIQUE,
  label          TEXT    NOT NULL,
  namespace      TEXT    NOT NULL CHECK (namespace IN ('eip155', 'solana', 'dev', 'stripe')),
  address        TEXT    NOT NULL,
  source         TEXT    NOT NULL CHECK (source IN ('seed', 'imported', 'watch')),
  path           TEXT    NOT NULL,
  delegated_from TEXT    NOT NULL DEFAULT '' CHECK (delegated_from = '' OR namespace = 'solana'),
  seed           TEXT    NOT NULL DEFAULT '' CHECK ((seed <> '') = (source = 'seed')),
  hidden         INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
  UNIQUE (namespace, address)
) STRICT;

INSERT INTO accounts_next (seq, id, label, namespace, address, source, path, delegated_from, seed)
SELECT seq, id, label, namespace, address, source, path, delegated_from, CASE source WHEN 'seed' THEN 'main' ELSE '' END FROM accounts;
DROP TABLE accounts;
ALTER TABLE accounts_next RENAME TO accounts;
`;

/** What Bazaars list, and what the owner approved of it. */
const DISCOVERY = `
CREATE TABLE bazaar_sources (
  url        TEXT PRIMARY KEY,
  fetched_at INTEGER,
  tried_at   INTEGER NOT NULL,
  problem    TEXT    NOT NULL,
  skipped    INTEGER NOT NULL,
  left_out   INTEGER NOT NULL CHECK (left_out IN (0, 1))
) STRICT;

CREATE TABLE bazaar_listings (
  id         INTEGER PRIMARY KEY,
  source     TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  listing    TEXT    NOT NULL,
  updated_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  UNIQUE (source, key)
) STRICT;
CREATE INDEX bazaar_listings_key ON bazaar_listings (key);
CREATE INDEX bazaar_listings_updated ON bazaar_listings (updated_at);

CREATE VIRTUAL TABLE bazaar_index USING fts5 (name, description, host, path, tags, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');

-- A row stays when the endpoint is removed: its name is never given to another one.
CREATE TABLE approved_endpoints (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  group_name     TEXT    NOT NULL,
  tool           TEXT    NOT NULL,
  method         TEXT    NOT NULL,
  url            TEXT    NOT NULL,
  listing        TEXT    NOT NULL,
  schema_problem TEXT    NOT NULL,
  approved_at    INTEGER NOT NULL,
  removed_at     INTEGER,
  removed_now    INTEGER NOT NULL DEFAULT 0 CHECK (removed_now IN (0, 1)),
  UNIQUE (group_name, tool),
  UNIQUE (group_name, method, url)
) STRICT;

CREATE TRIGGER approved_endpoints_name BEFORE UPDATE OF group_name, tool, method, url ON approved_endpoints
BEGIN SELECT RAISE(ABORT, 'a tool keeps its name and its address'); END;

CREATE TABLE client_groups (
  client     TEXT PRIMARY KEY,
  group_name TEXT NOT NULL
) STRICT;

CREATE INDEX payments_of_client ON payments (client, seq) WHERE decision = 'approved' AND proof_text <> '';
`;

/** Whom the owner pays. A number that was given is never given again. */
const CONTACTS = `
CREATE TABLE contacts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`;

/** Approvals of spending on Solana that Bursar signed, with the signed bytes; and what agents ask the owner to do. */
const DELEGATIONS = `
CREATE TABLE delegations (
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  act               TEXT    NOT NULL UNIQUE,
  kind              TEXT    NOT NULL CHECK (kind IN ('approve', 'revoke')),
  network           TEXT    NOT NULL,
  asset             TEXT    NOT NULL,
  owner             TEXT    NOT NULL,
  delegate          TEXT    NOT NULL,
  amount            TEXT    NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND amount <> ''),
  replaced_delegate TEXT    NOT NULL,
  replaced_amount   TEXT    NOT NULL CHECK (replaced_amount NOT GLOB '*[^0-9]*' AND replaced_amount <> ''),
  wire              TEXT    NOT NULL,
  track             TEXT    NOT NULL,
  tx                TEXT    NOT NULL,
  state             TEXT    NOT NULL CHECK (state IN ('signed', 'confirmed', 'final', 'dead')),
  why               TEXT    NOT NULL DEFAULT '',
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL
) STRICT;

CREATE INDEX delegations_open ON delegations (seq) WHERE state IN ('signed', 'confirmed');

CREATE TRIGGER delegations_terms BEFORE UPDATE OF seq, act, kind, network, asset, owner, delegate, amount, replaced_delegate, replaced_amount, wire, track, tx, created_at ON delegations
BEGIN SELECT RAISE(ABORT, 'what was signed never changes'); END;

CREATE TRIGGER delegations_moves BEFORE UPDATE OF state ON delegations
WHEN OLD.state IN ('final', 'dead') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a delegation cannot move that way'); END;

CREATE TRIGGER delegations_kept BEFORE DELETE ON delegations
BEGIN SELECT RAISE(ABORT, 'what was signed is never deleted'); END;

CREATE TABLE requests (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  client     TEXT    NOT NULL,
  kind       TEXT    NOT NULL CHECK (kind IN ('setup', 'approve', 'revoke')),
  asked      TEXT    NOT NULL,
  params     TEXT    NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('waiting', 'approved', 'rejected', 'expired')),
  outcome    TEXT    NOT NULL DEFAULT '',
  account    TEXT    NOT NULL DEFAULT '',
  told       INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER
) STRICT;

CREATE INDEX requests_waiting ON requests (seq) WHERE state = 'waiting';
CREATE INDEX requests_of_client ON requests (client, asked, seq);

CREATE TRIGGER requests_fixed BEFORE UPDATE OF seq, id, client, kind, asked, params, created_at, expires_at ON requests
BEGIN SELECT RAISE(ABORT, 'what was asked never changes'); END;

CREATE TRIGGER requests_decided BEFORE UPDATE OF state ON requests
WHEN OLD.state <> 'waiting'
BEGIN SELECT RAISE(ABORT, 'a request is decided once'); END;
`;

/** Servers in clients' files whose place Bursar has taken, with the bytes that go back there. */
const PROTECTIONS = `
CREATE TABLE protections (
  kind          TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  path          TEXT    NOT NULL,
  upstream      TEXT    NOT NULL,
  made_upstream INTEGER NOT NULL CHECK (made_upstream IN (0, 1)),
  sealed_entry  BLOB    NOT NULL,
  at            INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT;
`;

/**
 * Payments to people without a wallet. What they are is written before the money leaves and never changes; whom they are for is sealed. No
 * secret is here: the key follows from the wallet's seed and `key_index`.
 */
const ESCROWS = `
CREATE TABLE escrows (
  id TEXT PRIMARY KEY,
  key_index TEXT NOT NULL UNIQUE,
  order_key TEXT NOT NULL,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  units TEXT NOT NULL,
  address TEXT NOT NULL,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('created', 'funding', 'funded', 'notified', 'claimed', 'refunding', 'refunded', 'dead')),
  refund_track TEXT NOT NULL DEFAULT '',
  refund_until INTEGER NOT NULL DEFAULT 0,
  transaction_id TEXT NOT NULL DEFAULT '',
  delivery TEXT NOT NULL DEFAULT 'none' CHECK (delivery IN ('none', 'sent', 'failed', 'handed')),
  delivery_error TEXT NOT NULL DEFAULT '',
  updated_at INTEGER NOT NULL,
  next_look INTEGER NOT NULL,
  rent_back INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX escrows_due ON escrows (next_look) WHERE state IN ('created', 'funding', 'funded', 'notified', 'refunding') OR (state IN ('claimed', 'refunded') AND rent_back = 0);
CREATE INDEX escrows_of_order ON escrows (order_key);
CREATE INDEX escrows_address ON escrows (address);
CREATE INDEX payments_ordered_to ON payments (network, payee) WHERE dialect = 'order';
CREATE INDEX escrows_newest ON escrows (created_at);

CREATE TRIGGER escrows_terms BEFORE UPDATE OF id, key_index, order_key, network, asset, units, address, created_at, expires_at ON escrows
BEGIN SELECT RAISE(ABORT, 'the terms of an escrow never change'); END;
CREATE TRIGGER escrows_end BEFORE UPDATE OF state ON escrows WHEN OLD.state IN ('claimed', 'refunded') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'an escrow that was emptied stays so'); END;

CREATE TABLE mail_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;
`;

/** Everything that the history filters by, in the order of the rows: a look through it reads no row that is not shown. */
const HISTORY = `CREATE INDEX payments_history ON payments (seq, decision, money, service, created_at, upstream, tool, network, client, payee, transaction_id, id);`;

/** What the owner did beside payments and policies, which keep a record of their own. */
const ACTIVITY = `
CREATE TABLE activity (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  author  TEXT    NOT NULL,
  act     TEXT    NOT NULL CHECK (act <> ''),
  subject TEXT    NOT NULL,
  outcome TEXT    NOT NULL
) STRICT;

CREATE INDEX activity_time ON activity (at);

CREATE TRIGGER activity_fixed BEFORE UPDATE ON activity
BEGIN SELECT RAISE(ABORT, 'the activity log is append-only'); END;

CREATE TRIGGER activity_kept BEFORE DELETE ON activity
BEGIN SELECT RAISE(ABORT, 'the activity log is append-only'); END;
`;

/** Passkeys of the owner. A row counts only while the policy names its fingerprint, so that one which was put in or changed from outside proves nothing. */
const PASSKEYS = `
CREATE TABLE passkeys (
  id          TEXT    PRIMARY KEY CHECK (id <> ''),
  public_key  BLOB    NOT NULL,
  counter     INTEGER NOT NULL CHECK (counter >= 0),
  transports  TEXT    NOT NULL CHECK (json_valid(transports)),
  label       TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  used_at     INTEGER
) STRICT;
`;

/** Guarded settings as the owner set or accepted them, by their SHA-256; the one that counts is named by what lies with the keys. */
const GUARDED_SETTINGS = `
CREATE TABLE guarded_settings (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  text TEXT NOT NULL
) STRICT;
`;

/** All steps in order. `PRAGMA user_version` of a database is the number of steps it has taken. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'spine', sql: SPINE },
  { name: 'budgets', sql: BUDGETS },
  { name: 'life cycle', sql: LIFE_CYCLE },
  {
    name: 'tampering',
    sql: TAMPERING,
    run(db) {
      buildChain(db, Date.now());
      buildPolicyChain(db);
    },
  },
  { name: 'offers', sql: OFFERS },
  { name: 'accounts', sql: ACCOUNTS },
  { name: 'calls', sql: CALLS },
  { name: 'uses since', sql: USES_SINCE },
  { name: 'memo', sql: MEMO },
  { name: 'kept answers', sql: KEPT_ANSWERS },
  { name: 'instance', sql: INSTANCE },
  { name: 'server nonces', sql: SERVER_NONCES },
  { name: 'upstream grants', sql: UPSTREAM_GRANTS },
  { name: 'access', sql: ACCESS },
  { name: 'settled by', sql: SETTLED_BY },
  { name: 'seeds', sql: SEEDS },
  { name: 'discovery', sql: DISCOVERY },
  { name: 'contacts', sql: CONTACTS },
  { name: 'delegations', sql: DELEGATIONS },
  { name: 'protections', sql: PROTECTIONS },
  { name: 'escrows', sql: ESCROWS },
  { name: 'history', sql: HISTORY },
  { name: 'activity', sql: ACTIVITY },
  { name: 'passkeys', sql: PASSKEYS },
  { name: 'guarded settings', sql: GUARDED_SETTINGS },
];
