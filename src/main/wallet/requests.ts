import { bytesToHex } from '@noble/hashes/utils.js';
import type { Clock, RandomBytes } from '../../core/ports.ts';
import { EXECUTE_SCOPE, type Scope } from '../../shared/access/scopes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { RequestKind, RequestParams, RequestStore, StoredRequest } from '../adapters/store/requests.ts';

/** How long a request waits for the owner, and how long a refusal holds for the same words. */
const WAITS_MS = 24 * 3_600_000;
const KEPT_MS = 30 * WAITS_MS;
const MOST_OF_A_CLIENT = 5;
/** Names of clients without a token are what they claim, so that a limit for each is not enough. */
const MOST = 20;
const SHOWN = 100;
/** What a client has to be granted to ask for anything. */
export const REQUEST_SCOPE: Scope = EXECUTE_SCOPE;

export type { RequestParams, StoredRequest };

/** The part of the queue that agents reach: they ask, and hear of it (I7). */
export type AgentRequests = Pick<Requests, 'ask' | 'news'>;

/** What agents ask the owner to do. Nothing happens of it until the owner approves (I7). */
export interface Requests {
  /**
   * Puts a request before the owner, or gives the one that asks for the same: while it waits, and for a day after it was rejected. Throws
   * `APPROVAL_QUEUE_FULL`.
   */
  ask(client: string, kind: RequestKind, params: RequestParams): StoredRequest;
  /** What became of a client's newest request of a kind, once: the client knows it then. */
  news(client: string, kind: RequestKind): StoredRequest | undefined;
  /** Newest first; those that wait, and what became of others. */
  list(): readonly StoredRequest[];
  /** True while the client may still ask for what it asked for. */
  isGranted(request: StoredRequest): boolean;
  /** Gives a request that waits and whose client may still ask. Throws `NOT_FOUND`, `APPROVAL_STALE`, `FORBIDDEN`. */
  requireWaiting(id: string): StoredRequest;
  approved(id: string, outcome: string, account?: string): StoredRequest;
  /** Throws `NOT_FOUND`, `APPROVAL_STALE`. */
  reject(id: string): StoredRequest;
}

export interface RequestPorts {
  readonly store: RequestStore;
  readonly scopesOf: (client: string) => readonly Scope[];
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomBytes;
  readonly changed: () => void;
}

export function createRequests({ store, scopesOf, clock, random, changed }: RequestPorts): Requests {
  const expire = (): void => {
    if (store.expire(clock.now()) > 0) changed();
  };
  const require = (id: string): StoredRequest => {
    expire();
    const found = store.get(id);
    if (!found) throw new BursarError('NOT_FOUND', `There is no request ${id.slice(0, 60)}.`);
    return found;
  };
  const requireOpen = (id: string): StoredRequest => {
    const found = require(id);
    if (found.state !== 'waiting') throw new BursarError('APPROVAL_STALE', `The request ${id} does not wait any more: it is ${found.state}.`, { hint: 'Nothing was done.' });
    return found;
  };
  const isGranted = ({ client }: StoredRequest): boolean => scopesOf(client).includes(REQUEST_SCOPE);
  const decide = (id: string, state: 'approved' | 'rejected' | 'expired', outcome: string, account = ''): StoredRequest => {
    store.decide(id, { state, outcome, account, at: clock.now() });
    changed();
    return require(id);
  };

  return {
    ask(client, kind, params) {
      expire();
      const now = clock.now();
      const before = store.newest(client, kind, params);
      if (before && isAnswer(before, now)) return before;
      const waiting = store.waiting();
      const ofClient = waiting.filter((one) => one.client === client).length;
      if (ofClient >= MOST_OF_A_CLIENT || waiting.length >= MOST) {
        throw new BursarError('APPROVAL_QUEUE_FULL', `${ofClient >= MOST_OF_A_CLIENT ? `${ofClient} requests of this client` : `${waiting.length} requests`} wait for the owner already.`, { hint: 'Nothing was asked. Wait until some of them are decided.' });
      }
      store.forget(now - KEPT_MS);
      const id = `req_${bytesToHex(random(8))}`;
      store.add({ id, client, kind, params, createdAt: now, expiresAt: now + WAITS_MS });
      changed();
      return require(id);
    },
    news(client, kind) {
      expire();
      const found = store.untold(client, kind);
      if (found) store.tell(found);
      return found;
    },
    list() {
      expire();
      return store.list(SHOWN);
    },
    isGranted,
    requireWaiting(id) {
      const found = requireOpen(id);
      if (isGranted(found)) return found;
      decide(id, 'expired', 'The client may not ask for this any more.');
      throw new BursarError('FORBIDDEN', `The client ${found.client} may not ask for this any more.`, { hint: 'Nothing was done, and the request is closed.' });
    },
    approved: (id, outcome, account) => decide(id, 'approved', outcome, account),
    reject(id) {
      requireOpen(id);
      return decide(id, 'rejected', 'The owner rejected it.');
    },
  };
}

/** Does this request answer one for the same? */
const isAnswer = ({ state, decidedAt = 0 }: StoredRequest, now: number): boolean => state === 'waiting' || (state === 'rejected' && now - decidedAt < WAITS_MS);
