import { setTimeout as wait } from 'node:timers/promises';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import type { Integrity, Log, Observation, Track } from '../../core/ports.ts';
import type { Assets } from '../../core/registry/assets.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import type { DelegationStore, StoredDelegation } from '../adapters/store/delegations.ts';
import { verifyDelegationSvm } from '../rails/delegation-svm-decode.ts';
import { submitUntilCertain } from '../rails/submit.ts';

/** How long one attempt to get a transaction onto the chain lasts before the next one. */
const ATTEMPT_MS = 30_000;
/** Waits between two looks at what landed and is not final yet, the last one for ever after. */
const WAITS_MS = [300, 500, 1000, 2000, 5000, 15_000, 60_000];

export interface FollowPorts {
  readonly store: DelegationStore;
  readonly integrity: Pick<Integrity, 'mayRecord'>;
  readonly observe: (network: NetworkId, track: Track, signal: AbortSignal) => Promise<Observation>;
  readonly send: (network: NetworkId, wire: string, signal: AbortSignal) => Promise<void>;
  readonly assets: Assets;
  /** Told once what landed, before it is final. */
  readonly landed: (delegation: StoredDelegation) => Promise<void>;
  readonly changed: () => void;
  readonly log: Log;
}

export interface Follower {
  /** Sends the journaled bytes until they landed or never will, then watches until that is final. Resolves then, and never rejects. */
  follow(act: string): Promise<void>;
  stop(): void;
}

/** Follows signed approvals on the chain. Only bytes that are in the store are ever sent, so that one act is one transaction (I1). */
export function createFollower({ store, integrity, observe, send, assets, landed, changed, log }: FollowPorts): Follower {
  const running = new Map<string, Promise<void>>();
  const stopped = new AbortController();

  async function record({ act, state: before, why: whyBefore }: StoredDelegation, seen: Observation): Promise<void> {
    // A network that does not answer says nothing of what it showed before.
    if (seen.state === 'unreachable') return log.warn('chain unreachable', { act, why: seen.why });
    if (!integrity.mayRecord()) return;
    const { state, why } = stateOf(seen);
    if (state === before && why === whyBefore) return;
    store.move(act, state, why);
    const moved = store.get(act);
    if (before === 'signed' && moved && (state === 'confirmed' || state === 'final')) await landed(moved);
    changed();
  }

  async function attempt(delegation: StoredDelegation): Promise<void> {
    const { network, track, wire, act } = delegation;
    // What lies in a file may have been changed there: other bytes than those of the terms are not sent.
    await verifyDelegationSvm(wire, delegation, { memo: act, blockhash: track['blockhash'] ?? '' }, assets);
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(ATTEMPT_MS)]);
    const seen = await submitUntilCertain({ look: () => observe(network, track, signal), send: () => send(network, wire, signal), signal });
    const current = store.get(act);
    if (!stopped.signal.aborted && current) await record(current, seen);
  }

  async function run(act: string): Promise<void> {
    for (let turn = 0; ; turn++) {
      const delegation = store.get(act);
      if (!delegation || delegation.state === 'final' || delegation.state === 'dead' || stopped.signal.aborted) return;
      await attempt(delegation);
      const { state } = store.get(act) ?? {};
      if (state === 'final' || state === 'dead') return;
      await wait(WAITS_MS[Math.min(turn, WAITS_MS.length - 1)], undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  return {
    follow(act) {
      const found = running.get(act);
      if (found) return found;
      const following = run(act)
        .catch((error: unknown) => log.error('an approval of spending could not be followed', { act, reason: toErrorInfo(error).message }))
        .finally(() => running.delete(act));
      running.set(act, following);
      return following;
    },
    stop: () => stopped.abort(),
  };
}

function stateOf(seen: Exclude<Observation, { state: 'unreachable' }>): { readonly state: StoredDelegation['state']; readonly why: string } {
  if (seen.state === 'settled') return { state: seen.final ? 'final' : 'confirmed', why: '' };
  // A reorganisation may have taken back what was confirmed: the same bytes may land again.
  return seen.state === 'dead' ? { state: 'dead', why: seen.why } : { state: 'signed', why: seen.why };
}
