import { failpoint } from '../../core/failpoint.ts';
import type { Clock, Integrity, Log } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import type { LedgerIntegrity } from '../adapters/store/integrity.ts';
import type { Escrow, EscrowStore } from '../adapters/store/escrows.ts';
import { escrowAccount, escrowKeys, type EscrowSeed } from './escrow-keys.ts';
import type { Move, Moves } from './moves.ts';
import { reclaim } from './reclaim.ts';

/** How often an open link is looked at: the younger, the oftener, for most are claimed soon. */
const LOOK_AFTER_MS = { paying: 30_000, moving: 5_000, fresh: 5 * 60_000, old: 60 * 60_000 } as const;
const FRESH_MS = 3 * 86_400_000;
/** An order that was never paid is forgotten after this: nothing can pay it any more. */
const UNPAID_MS = 60 * 60_000;

export interface Follow {
  /** Compares a row with the ledger: was it paid? */
  syncFunding(escrow: Escrow): Escrow;
  /** Tells the recipient of money that has come, where that was not done yet; what goes wrong is noted, and is no failure of the payment. */
  announce(id: string): Promise<Escrow>;
  /** Looks at the chain, goes on with what was begun, and takes the money back where its time is over. Never throws. */
  look(id: string, signal: AbortSignal): Promise<Escrow>;
  /** Takes the money back now. Throws `CLAIM_GONE` where it is gone, what `requireWhole` does, and why it could not be done. */
  refund(id: string, signal: AbortSignal): Promise<Escrow>;
}

export interface FollowPorts {
  readonly store: EscrowStore;
  readonly seed: EscrowSeed;
  readonly integrity: Pick<Integrity, 'mayRecord'> & Pick<LedgerIntegrity, 'requireWhole'>;
  readonly assets: Assets;
  readonly moves: Moves;
  readonly chains: () => Pick<Chains, 'observeEscrow' | 'latestBlockhash' | 'sendSolana' | 'solanaAccounts'>;
  readonly deliver: (escrow: Escrow) => Promise<Escrow>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly changed: () => void;
}

/** What becomes of an escrow: paid, told, claimed or taken back. Every step is in its row before it is taken, so that any run can go on from there. */
export function createFollow({ store, seed, integrity, assets, moves, chains, deliver, clock, log, changed }: FollowPorts): Follow {
  /** One step at a time for each escrow: two refunds of one would be two authorizations (I10). */
  const busy = new Map<string, Promise<Escrow>>();
  const alone = (id: string, work: () => Promise<Escrow>): Promise<Escrow> => {
    const mine = (busy.get(id) ?? Promise.resolve()).catch(() => {}).then(work);
    busy.set(id, mine);
    return mine.finally(() => {
      if (busy.get(id) === mine) busy.delete(id);
    });
  };

  const change: EscrowStore['change'] = (id, columns) => {
    const after = store.change(id, columns);
    changed();
    return after;
  };

  const postponed = (escrow: Escrow, nextLook: number): Escrow => {
    store.postpone(escrow.id, nextLook);
    return escrow;
  };

  function syncFunding(escrow: Escrow): Escrow {
    if (isOpen(escrow)) return stillFunded(escrow);
    if (escrow.state !== 'created' && escrow.state !== 'funding') return escrow;
    const payment = store.funding(escrow);
    if (payment?.money === 'settled') return change(escrow.id, { state: stateOfMoney(escrow), nextLook: clock.now() });
    const nextLook = clock.now() + LOOK_AFTER_MS.paying;
    if (payment?.money === 'outstanding' || payment?.money === 'reserved' || payment?.decision === 'waiting') {
      const state = payment.money === 'outstanding' ? 'funding' : 'created';
      if (state === escrow.state) return postponed(escrow, nextLook);
      return change(escrow.id, { state, nextLook });
    }
    // Refused, or never asked for; the same words may come again for a while.
    const isOver = payment !== undefined || clock.now() - escrow.createdAt > UNPAID_MS;
    return isOver ? change(escrow.id, { state: 'dead' }) : postponed(escrow, nextLook);
  }

  /** The chain may take a funding back as long as it is not final; the ledger then says so first. What was told of it stays told: the link works once the money is there again. */
  function stillFunded(escrow: Escrow): Escrow {
    const money = store.funding(escrow)?.money;
    if (money === 'outstanding') return change(escrow.id, { state: 'funding', nextLook: clock.now() + LOOK_AFTER_MS.paying });
    return money === 'dead' ? change(escrow.id, { state: 'dead', transaction: '' }) : escrow;
  }

  /** The tokens go back to whom they were of; rent and coin, to the account that paid them. */
  const senderOf = (escrow: Escrow, of: 'owner' | 'payer' = 'owner'): string => {
    const found = store.funding(escrow)?.[of] ?? '';
    if (found === '') throw new BursarError('DATABASE_CORRUPT', `The ledger does not say who paid the escrow ${escrow.id}.`);
    return found;
  };

  const assetOf = ({ network, asset }: Escrow): Asset => {
    const found = assets.find(network, asset);
    if (!found) throw new BursarError('ASSET_UNKNOWN', `The token ${asset} is not in the registry.`);
    return found;
  };

  const namespaceOf = ({ network }: Escrow) => (network.startsWith('eip155:') ? 'eip155' : 'solana');
  const keysOf = (escrow: Escrow) => escrowKeys(seed, { namespace: namespaceOf(escrow), address: escrow.address, index: escrow.keyIndex });

  const refundOf = (escrow: Escrow): Move => ({
    asset: assetOf(escrow),
    units: escrow.units,
    account: escrowAccount(namespaceOf(escrow), escrow.address),
    to: senderOf(escrow),
    purpose: 'refund',
  });

  const nextLookOf = (escrow: Escrow): number => {
    const now = clock.now();
    const every = now - escrow.createdAt < FRESH_MS ? LOOK_AFTER_MS.fresh : LOOK_AFTER_MS.old;
    return escrow.expiresAt > now ? Math.min(now + every, escrow.expiresAt) : now + LOOK_AFTER_MS.moving;
  };

  /** Where the money is, as the chain shows it; the row says so once it is final (I5). */
  async function sight(escrow: Escrow, signal: AbortSignal): Promise<{ readonly escrow: Escrow; readonly there: boolean; readonly gone: 'claimed' | 'refunded' | undefined }> {
    const seen = await chains().observeEscrow({ asset: assetOf(escrow), address: escrow.address, units: escrow.units, sender: senderOf(escrow), since: escrow.createdAt }, signal);
    if (seen.state === 'there') return { escrow, there: true, gone: undefined };
    if (seen.state === 'unclear' || seen.state === 'unreachable') return { escrow: postponed(escrow, clock.now() + LOOK_AFTER_MS.fresh), there: false, gone: undefined };
    const gone = seen.toSender ? 'refunded' : 'claimed';
    const after = seen.final ? change(escrow.id, { state: gone, transaction: seen.transaction }) : store.change(escrow.id, { transaction: seen.transaction, nextLook: clock.now() + LOOK_AFTER_MS.moving });
    return { escrow: after, there: false, gone };
  }

  /** A refund that was signed before is gone on with, with the same bytes; another one is signed only once the first is dead (I10). */
  async function takeBack(given: Escrow, signal: AbortSignal): Promise<Escrow> {
    let escrow = given;
    // The ledger says to whom it goes.
    await integrity.requireWhole();
    signal.throwIfAborted();
    const move = refundOf(escrow);
    if (escrow.refundTrack !== '') {
      const track = JSON.parse(escrow.refundTrack) as Record<string, string>;
      const seen = await moves.observe(move, track, signal);
      if (seen.state === 'unreachable') throw new BursarError('CHAIN_UNREACHABLE', seen.why);
      if (seen.state !== 'dead') return submitted(escrow, move, track, signal);
      escrow = store.change(escrow.id, { refundTrack: '', refundUntil: 0 });
    }
    const { track, until } = await moves.sign(move, keysOf(escrow), {}, signal);
    escrow = change(escrow.id, { state: 'refunding', refundTrack: JSON.stringify(track), refundUntil: until, nextLook: clock.now() + LOOK_AFTER_MS.moving });
    if (__FAILPOINTS__) failpoint('refund-journaled');
    return submitted(escrow, move, track, signal);
  }

  async function submitted(escrow: Escrow, move: Move, track: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Escrow> {
    const seen = await moves.submit(move, track, signal);
    if (__FAILPOINTS__ && seen.state === 'settled') failpoint('refund-moved');
    if (seen.state === 'settled') return change(escrow.id, seen.final ? { state: 'refunded', transaction: seen.transaction } : { transaction: seen.transaction, nextLook: clock.now() + LOOK_AFTER_MS.moving });
    const { escrow: after, there } = await sight(escrow, signal);
    if (!there) return after;
    throw new BursarError('SETTLEMENT_FAILED', `The money of the escrow ${escrow.id} was not moved back yet: ${seen.why}`, { hint: 'Bursar tries again by itself.' });
  }

  /** Only on Solana do accounts hold rent. */
  async function returnRent(escrow: Escrow, signal: AbortSignal): Promise<Escrow> {
    if (escrow.rentBack) return escrow;
    if (!escrow.network.startsWith('solana:')) return store.change(escrow.id, { rentBack: true });
    postponed(escrow, clock.now() + LOOK_AFTER_MS.old);
    if (seed.locked) return escrow;
    const { asset, account } = refundOf(escrow);
    const isBack = await reclaim(chains(), { asset, account, to: senderOf(escrow, 'payer') }, keysOf(escrow), signal);
    return isBack ? store.change(escrow.id, { rentBack: true }) : escrow;
  }

  const announce = (id: string): Promise<Escrow> =>
    alone(id, async () => {
      const escrow = store.get(id);
      return escrow.state === 'funded' && escrow.delivery === 'none' ? deliver(escrow) : escrow;
    }).catch((error: unknown) => {
      // The money has moved: that nobody could be told of it, while the keys are locked for one, is no failure of the payment. The sweep tells them later.
      log.warn('a recipient could not be told yet', { escrow: id, reason: toErrorInfo(error).message });
      return store.get(id);
    });

  async function step(id: string, signal: AbortSignal): Promise<Escrow> {
    // Whose money it is and where that lies is told by rows and RPC servers that nobody vouches for then (I5, I7).
    if (!integrity.mayRecord()) return postponed(store.get(id), clock.now() + LOOK_AFTER_MS.paying);
    const escrow = syncFunding(store.get(id));
    if (isEmptied(escrow)) return returnRent(escrow, signal);
    if (!isOpen(escrow)) return escrow;
    const { escrow: seen, there } = await sight(escrow, signal);
    if (!there) return seen;
    const isOver = seen.expiresAt <= clock.now() || seen.state === 'refunding';
    // Set before the attempt: one that fails must not be tried again at once.
    const waiting = postponed(seen, nextLookOf(seen));
    if (isOver) return seed.locked ? waiting : takeBack(waiting, signal);
    return waiting.state === 'funded' && waiting.delivery === 'none' && !seed.locked ? deliver(waiting) : waiting;
  }

  return {
    syncFunding,
    announce,
    look: (id, signal) =>
      alone(id, () =>
        step(id, signal).catch((error: unknown) => {
          log.warn('an escrow could not be followed', { escrow: id, reason: toErrorInfo(error).message });
          return postponed(store.get(id), clock.now() + LOOK_AFTER_MS.paying);
        }),
      ),
    refund: (id, signal) =>
      alone(id, async () => {
        await integrity.requireWhole();
        const escrow = syncFunding(store.get(id));
        requireMoney(escrow);
        const { escrow: seen, there, gone } = await sight(escrow, signal);
        if (gone === 'claimed') throw claimed(seen);
        if (gone === 'refunded') return seen;
        if (!there) throw new BursarError('CHAIN_UNREACHABLE', `It cannot be seen whether the money of the escrow ${id} is still there.`);
        const after = await takeBack(seen, signal);
        if (after.state === 'claimed') throw claimed(after);
        return after;
      }),
  };
}

/** True while the money lies in the escrow, as far as the row knows. */
export const isOpen = ({ state }: Escrow): boolean => state === 'funded' || state === 'notified' || state === 'refunding';

/** What is to be done where the money lies in the escrow, again or for the first time. */
const stateOfMoney = ({ refundTrack, delivery }: Escrow): 'refunding' | 'notified' | 'funded' => (refundTrack !== '' ? 'refunding' : delivery === 'sent' || delivery === 'handed' ? 'notified' : 'funded');

const isEmptied = ({ state }: Escrow): boolean => state === 'claimed' || state === 'refunded';

/** Throws `CLAIM_GONE` or `NOT_FOUND` where an escrow holds nothing. */
export function requireMoney(escrow: Escrow): void {
  if (isOpen(escrow)) return;
  if (escrow.state === 'claimed') throw claimed(escrow);
  if (escrow.state === 'refunded') throw new BursarError('CLAIM_GONE', `The money of the escrow ${escrow.id} was taken back already.`);
  throw new BursarError('NOT_FOUND', `The escrow ${escrow.id} was not paid${escrow.state === 'dead' ? '' : ' yet'}.`);
}

const claimed = ({ id }: Escrow) => new BursarError('CLAIM_GONE', `The money of the escrow ${id} was claimed already.`);
