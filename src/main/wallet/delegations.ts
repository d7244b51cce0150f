import { setTimeout as wait } from 'node:timers/promises';
import { bytesToHex } from '@noble/hashes/utils.js';
import { failpoint } from '../../core/failpoint.ts';
import type { Account, Clock, Integrity, Keys, Log, RandomBytes } from '../../core/ports.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { coinOf } from '../../core/registry/coins.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import { tokenAccountOf } from '../adapters/chain/token-account.ts';
import type { DelegationStore, StoredDelegation } from '../adapters/store/delegations.ts';
import { DELEGATION_FEE_LAMPORTS } from '../rails/delegation-terms.ts';
import { signDelegationSvm } from '../rails/delegation-svm.ts';
import { partiesOf, type DelegationOrder, type Parties } from './delegation-order.ts';
import { draftOf, type Draft } from './delegation-quote.ts';
import { createFollower } from './follow-delegation.ts';

/** How long an owner may look at a quote. */
const QUOTE_MS = 10 * 60_000;
const MOST_QUOTES = 50;
/** How long an act waits for the chain before it answers with what is known until then. */
const ANSWER_MS = 20_000;
const LOOK_MS = 10_000;
/** After this, what was signed before no longer keeps an approval from being taken back: its blockhash is long past. */
const SIGNED_BLOCKS_REVOKE_MS = 3 * 60_000;

/** A draft that can be carried out once. */
export interface Quote extends Draft {
  /** Names the act: whatever is repeated, one transaction is made for it. */
  readonly act: string;
  readonly expiresAt: number;
  /** Lamports, at most. */
  readonly fee: bigint;
}

export interface Delegations {
  /** The exact terms, as the chain is now; signs nothing. Throws what {@link partiesOf} and {@link draftOf} throw, `CHAIN_UNREACHABLE`. */
  quote(order: DelegationOrder): Promise<Quote>;
  /** The same for an owner whose key lies elsewhere, with who and what is meant. */
  draft(order: DelegationOrder): Promise<Draft & Parties>;
  /**
   * Signs exactly what was quoted, journals it, sends it and waits for the chain. The same act again is the same transaction. Throws
   * `APPROVAL_STALE` where the quote is too old or the chain changed since, `DELEGATION_BUSY`, `WALLET_LOCKED`, `INSUFFICIENT_BALANCE`,
   * `LEDGER_TAMPERED`, `CHAIN_UNREACHABLE`, `SIGNING_FAILED`, `PROOF_MISMATCH`.
   */
  perform(kind: DelegationOrder['kind'], act: string): Promise<StoredDelegation>;
  /** What was quoted, while it can be carried out. */
  quoted(act: string): Quote | undefined;
  /** Goes on with what an earlier process signed. */
  recover(): void;
  stop(): void;
}

export interface DelegationPorts {
  readonly store: DelegationStore;
  readonly keys: Keys;
  readonly integrity: Pick<Integrity, 'requireSound' | 'mayRecord'>;
  readonly chains: () => Pick<Chains, 'networks' | 'balance' | 'latestBlockhash' | 'solanaAccounts' | 'observeSolana' | 'sendSolana'>;
  readonly assets: Assets;
  /** Lets an account pay from the owner's token accounts, once that is approved. */
  readonly payFrom: (accountId: string, owner: string) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomBytes;
  readonly changed: () => void;
  readonly log: Log;
}

/** Approvals of spending on Solana whose owner's key lies here. */
export function createDelegations({ store, keys, integrity, chains, assets, payFrom, clock, random, changed, log }: DelegationPorts): Delegations {
  const quotes = new Map<string, Quote>();
  const performing = new Map<string, Promise<StoredDelegation>>();
  const busy = new Set<string>();

  const follower = createFollower({
    store,
    integrity,
    assets,
    changed,
    log,
    observe: (...request) => chains().observeSolana(...request),
    send: (...request) => chains().sendSolana(...request),
    async landed({ kind, network, asset: mint, owner, delegate, replacedDelegate }) {
      const payer = keys.accounts().find(({ namespace, address, source }) => namespace === 'solana' && source !== 'watch' && address === delegate);
      if (kind === 'approve' && payer && payer.delegatedFrom !== owner) payFrom(payer.id, owner);
      // What is remembered of balances would let a payment be asked about that the chain refuses by now.
      const asset = assets.find(network, mint);
      if (asset) await Promise.allSettled([delegate, replacedDelegate].filter(Boolean).map((address) => chains().balance(asset, address, { fresh: true })));
    },
  });

  async function draft(order: DelegationOrder): Promise<Draft & Parties> {
    const parties = partiesOf(order, { assets, accounts: () => keys.accounts(), networks: () => chains().networks() });
    const { asset, owner } = parties;
    const tokenAccount = await tokenAccountOf(owner, asset);
    const [facts] = await chains().solanaAccounts.tokenAccounts(asset.network, [tokenAccount], AbortSignal.timeout(LOOK_MS));
    return { ...parties, ...draftOf(order, parties, { tokenAccount, facts, accounts: keys.accounts() }) };
  }

  function requireOwnKey(owner: string): Account {
    const account = keys.accounts().find(({ namespace, address, source }) => namespace === 'solana' && source !== 'watch' && address === owner);
    if (!account) throw new BursarError('ACCOUNT_MISSING', `The key of ${owner} is not in this wallet.`, { hint: 'Show the transaction and sign it there: bursar delegation show-transaction.' });
    return account;
  }

  /** Throws `APPROVAL_STALE` where the chain is not as it was when the owner looked. */
  async function requireUnchanged({ before, asset }: Quote): Promise<void> {
    const [facts] = await chains().solanaAccounts.tokenAccounts(asset.network, [before.tokenAccount], AbortSignal.timeout(LOOK_MS));
    if (facts && (facts.delegate ?? '') === before.delegate && facts.delegated === before.amount) return;
    throw new BursarError('APPROVAL_STALE', 'What the delegate may spend has changed since you looked.', { hint: 'Nothing was signed. Look at it again.' });
  }

  async function requireLamports({ terms: { network, owner } }: Quote): Promise<void> {
    const signal = AbortSignal.timeout(LOOK_MS);
    const { solanaAccounts } = chains();
    const [held, rent] = await Promise.all([solanaAccounts.lamports(network, owner, signal), solanaAccounts.rent(network, 0, signal)]);
    const needed = DELEGATION_FEE_LAMPORTS + rent;
    const write = (lamports: bigint) => `${formatUnits(lamports, 9)} ${coinOf(network).symbol}`;
    if (held < needed) throw new BursarError('INSUFFICIENT_BALANCE', `The account ${owner} holds ${write(held)} and needs ${write(needed)} for the network's fee.`, { hint: 'Nothing was signed.' });
  }

  /** What was signed before for the same token account may still land, and would undo what comes now, or be undone by it. */
  function requireQuiet({ terms: { kind, network, asset, owner } }: Quote): void {
    const other = store.open().find((one) => one.state === 'signed' && one.network === network && one.asset === asset && one.owner === owner);
    if (!other || (kind === 'revoke' && clock.now() - other.createdAt > SIGNED_BLOCKS_REVOKE_MS)) return;
    throw new BursarError('DELEGATION_BUSY', `The transaction ${other.transaction} for this token account has neither landed nor expired yet. ${other.why}`.trim());
  }

  async function sign(quote: Quote): Promise<StoredDelegation> {
    const { act, terms, asset, before } = quote;
    if (keys.locked) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    // Taking an approval back is never refused for a changed ledger: it only lets less be spent.
    if (terms.kind === 'approve') integrity.requireSound();
    const account = requireOwnKey(terms.owner);
    requireQuiet(quote);
    const [lifetime] = await Promise.all([chains().latestBlockhash(terms.network, AbortSignal.timeout(LOOK_MS)), requireUnchanged(quote), requireLamports(quote)]);
    const { wire, signature, track } = await signDelegationSvm({ keys, account, terms, asset, act, lifetime, now: clock.now(), assets });
    if (__FAILPOINTS__) failpoint('proof-signed');
    const added = store.add({ ...terms, act, replacedDelegate: before.delegate, replacedAmount: before.amount, wire, track, transaction: signature });
    if (__FAILPOINTS__) failpoint('journal-committed');
    quotes.delete(act);
    changed();
    return added;
  }

  async function carryOut(kind: DelegationOrder['kind'], act: string): Promise<StoredDelegation> {
    if (!store.get(act)) {
      const quote = quotes.get(act);
      if (!quote || quote.expiresAt <= clock.now()) throw new BursarError('APPROVAL_STALE', 'What was shown is too old, or was never shown.', { hint: 'Nothing was signed. Look at it again.' });
      if (quote.kind !== kind) throw new BursarError('INPUT_INVALID', `What was shown is no "${kind}" but a "${quote.kind}".`, { hint: 'Nothing was signed.' });
      const { tokenAccount } = quote.before;
      if (busy.has(tokenAccount)) throw new BursarError('DELEGATION_BUSY', `Another transaction for the token account ${tokenAccount} is being signed.`);
      busy.add(tokenAccount);
      try {
        await sign(quote);
      } finally {
        busy.delete(tokenAccount);
      }
    }
    await Promise.race([follower.follow(act), wait(ANSWER_MS, undefined, { ref: false })]);
    return requireStored(act);
  }

  function requireStored(act: string): StoredDelegation {
    const found = store.get(act);
    if (!found) throw new BursarError('INTERNAL', 'A row that was written cannot be read.');
    return found;
  }

  function forgetOldQuotes(): void {
    for (const [act, { expiresAt }] of quotes) if (expiresAt <= clock.now() || quotes.size >= MOST_QUOTES) quotes.delete(act);
  }

  return {
    draft,
    async quote(order) {
      const { owner: _owner, delegate: _delegate, ...found } = await draft(order);
      requireOwnKey(found.terms.owner);
      forgetOldQuotes();
      const quote: Quote = { ...found, act: bytesToHex(random(16)), expiresAt: clock.now() + QUOTE_MS, fee: DELEGATION_FEE_LAMPORTS };
      quotes.set(quote.act, quote);
      return quote;
    },
    quoted: (act) => quotes.get(act),
    perform(kind, act) {
      const found = performing.get(act);
      if (found) return found;
      const working = carryOut(kind, act).finally(() => performing.delete(act));
      performing.set(act, working);
      return working;
    },
    recover() {
      for (const { act } of store.open()) void follower.follow(act);
    },
    stop: () => follower.stop(),
  };
}
