import { randomBytes } from 'node:crypto';
import { createApprovals, type Answer } from '../../../src/core/payments/approvals.ts';
import type { Keys } from '../../../src/core/ports.ts';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import type { TouchId } from '../../../src/main/presence/presence.ts';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { createGate } from '../../../src/main/rpc/gate.ts';
import { approvalHandlers } from '../../../src/main/rpc/handlers/approvals.ts';
import { policyHandlers } from '../../../src/main/rpc/handlers/policy.ts';
import { standingRuleHandlers } from '../../../src/main/rpc/handlers/standing-rules.ts';
import { createOwnerSessions } from '../../../src/main/rpc/owner-sessions.ts';
import { createRouter } from '../../../src/main/rpc/router.ts';
import { createSavePolicy } from '../../../src/main/rpc/save-policy.ts';
import { wirePresence } from '../../../src/main/wire-presence.ts';
import type { RouteInput, RouteName, RouteOutput } from '../../../src/shared/contract/contract.ts';
import type { PresenceChallenge } from '../../../src/shared/contract/presence.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { waitingPayment } from '../../support/waiting-payment.ts';
import { handlersOf, manualClock, recordingLog } from '../../support/rpc/contract-fakes.ts';
import { openStore } from '../store/fixtures.ts';
import type { Authenticator } from './authenticator.ts';

export const PASSPHRASE = 'correct horse battery';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const ORIGIN = 'http://localhost:4021';

/** The headless pages and the terminal, as main's carriers know them. */
export const approvalPage: Caller = { surface: 'approval', connection: 'approval', host: 'headless', origin: ORIGIN };
export const dashboard: Caller = { surface: 'dashboard', connection: 'dashboard', host: 'headless', origin: ORIGIN };
export const terminal: Caller = { surface: 'cli', connection: 'cli', host: 'headless' };
export const popup: Caller = { surface: 'approval', connection: 'popup', host: 'electron' };

/** Acts of which nothing comes here but that they got through. */
const REACHED = ['ledger.accept', 'escrows.link', 'escrows.setPage', 'escrows.setMail', 'seeds.reveal', 'accounts.export', 'backup.create', 'upstreams.add', 'upstreams.addPasted', 'contacts.add', 'contacts.edit', 'networks.set', 'facilitators.set', 'clients.add', 'clients.setScopes', 'clients.rotate', 'clients.token', 'clients.link', 'clients.import', 'clients.protect'] as const;

export interface PasskeyRow {
  readonly id: string;
  readonly public_key: Buffer;
}

/** Main's side of presence over a real database, queue, gate and router; the wallet knows one passphrase. */
export function openWorld({ realMoney = true, passphraseSet = true, touchId }: { readonly realMoney?: boolean; readonly passphraseSet?: boolean; readonly touchId?: TouchId } = {}) {
  const { db } = openStore();
  const clock = manualClock(1_700_000_000_000);
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const log = recordingLog();
  const policies = createPolicies(db, clock, { timeZone: 'UTC' });
  const approvals = createApprovals({ clock, random, changed: () => {} });
  const save = createSavePolicy({ policies, approvals, addUp: () => {}, reassess: () => {}, changed: () => {} });
  const sessions = createOwnerSessions({ clock, changed: () => {} });
  const gate = createGate({ realMoney, sessions });
  for (const { connection } of [approvalPage, dashboard, terminal]) sessions.open(connection);
  const wallet = {
    passphraseSet,
    verifyPassphrase: (typed: string) => (typed === PASSPHRASE ? Promise.resolve() : Promise.reject(new BursarError('PASSPHRASE_WRONG', 'That is not the passphrase.'))),
  };
  /** USDC in an escrow, one for each id: `esc_5000000` holds 5.00. */
  const escrows = { get: (id: string) => ({ network: 'eip155:8453' as const, asset: USDC, units: baseUnits(BigInt(id.slice('esc_'.length))) }) };
  const findings: string[] = [];
  /** What the findings are of. */
  const finding: { cause: 'tampered' | 'restored' | 'settings' } = { cause: 'tampered' };
  const reached: string[] = [];
  const reach = (route: string) => () => {
    reached.push(route);
    throw new BursarError('FORBIDDEN', 'It got through.');
  };
  const { takeProof, handlers } = wirePresence({ db, clock, random, log, wallet, policies, savePolicy: save, integrity: { findings: () => findings, get cause() { return findings.length === 0 ? 'none' : finding.cause; } }, approvals, quoted: () => undefined, escrows, shownAssets: REGISTERED, gate, realMoney, touchId });
  const keys: Keys = { locked: false, accounts: () => [], use: () => Promise.reject(new Error('signs')) };
  const journal = createJournal(db, clock);
  const router = createRouter({
    log,
    gate,
    takeProof,
    handlers: handlersOf({
      ...Object.fromEntries(REACHED.map((route) => [route, reach(route)])),
      ...handlers,
      ...policyHandlers({ policies, history: createHistory(db), assets: REGISTERED, accounts: () => [], save }),
      ...standingRuleHandlers({ approvals, policies, savePolicy: save, journal, keys, clock, random, addUp: () => {} }),
      ...approvalHandlers({ approvals, keys, assets: REGISTERED, journal, contacts: { list: async () => [] }, upstreamAddress: () => '' }),
    }),
  });

  async function ask<N extends RouteName>(route: N, input: RouteInput<N>, caller: Caller): Promise<RouteOutput<N>> {
    const reply = await router.dispatch(route, input, caller);
    if (reply.ok) return reply.value as RouteOutput<N>;
    throw new BursarError(reply.error.code, reply.error.message, { context: reply.error.context });
  }
  const begin = (route: RouteInput<'presence.begin'>['route'], input: unknown, caller: Caller): Promise<PresenceChallenge> => ask('presence.begin', { route, input }, caller);

  /** A payment that waits, on screen for its second, and the answer that approves it. `usd`: its worth in millionths, where it has a price. */
  function waiting(id: string, usd: bigint | undefined, viewer: Caller = approvalPage) {
    const given = waitingPayment({ id, tool: 'forecast', expiresAt: clock.now() + 600_000 });
    const { use } = given.assessment;
    const answer: { value?: Answer } = {};
    void approvals.ask({ ...given, assessment: { ...given.assessment, use: { ...use, ...(usd !== undefined && { usd: baseUnits(usd) }) } } }, new AbortController().signal).then((value) => (answer.value = value));
    const found = approvals.waiting().find(({ payment }) => payment.id === id);
    approvals.report({ paymentId: id, visible: true }, viewer.surface === 'cli-approval' ? viewer.connection : undefined);
    clock.advance(1000);
    return { answer, approve: { paymentId: id, termsDigest: given.payment.termsDigest, nonce: found?.nonce ?? '', decision: 'approve' as const } };
  }

  /** Makes a passkey on the dashboard, as its owner does. */
  async function addPasskey(authenticator: Authenticator): Promise<void> {
    const { challenge } = await ask('presence.passkeys.begin', {}, dashboard);
    await ask('presence.passkeys.add', { attestation: authenticator.attest({ challenge, origin: ORIGIN }), label: 'Key', passphrase: PASSPHRASE }, dashboard);
  }

  /** The table of passkeys as somebody with the file has it. */
  const rows = {
    all: () => db.prepare<[], PasskeyRow>('SELECT * FROM passkeys').all(),
    put: (row: PasskeyRow) =>
      void db.prepare('INSERT OR REPLACE INTO passkeys (id, public_key, counter, transports, label, created_at, used_at) VALUES (@id, @public_key, @counter, @transports, @label, @created_at, @used_at)').run(row),
  };

  return { reached, rows, findings, finding, clock, log, policies, approvals, ask, begin, waiting, addPasskey };
}
