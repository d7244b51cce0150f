import type { FetchLike } from '@modelcontextprotocol/client';
import type { Log } from '../../core/ports.ts';
import type { AuthorizationView, UpstreamAuth } from '../../shared/contract/upstreams.ts';
import { BursarError, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { UpstreamGrants } from '../adapters/store/upstream-grants.ts';
import type { AuthorizationRefusal, UpstreamAuthorization } from '../bridge/upstream.ts';
import type { AddressRule } from './addresses.ts';
import type { Challenge } from './discover.ts';
import { bearer, isFresh, type Grant } from './grant.ts';
import { createSignInFlow } from './sign-in-flow.ts';

const loadOAuth = () => import('./oauth.ts');

/** A token that is refused so soon after it was given is no old one: another would be refused as well (ms). */
const JUST_GIVEN_MS = 10_000;
/** A renewal that is under way at the end of Bursar has so long to bring its token in (ms). */
const CLOSE_MS = 3_000;

export interface TokenKeeperOptions {
  readonly upstream: string;
  readonly url: string;
  readonly auth: UpstreamAuth | undefined;
  readonly grants: UpstreamGrants;
  readonly rule: AddressRule;
  readonly fetch: FetchLike;
  readonly clientMetadataUrl: () => string | undefined;
  /** Are the keys locked, under which the tokens lie? */
  readonly locked: () => boolean;
  /** The command line with which the owner signs in. */
  readonly command: string;
  readonly now: () => number;
  readonly changed: () => void;
  readonly log: Log;
}

/** Holds the tokens of one server for every session with it: one sign-in, one renewal at a time. */
export interface TokenKeeper extends UpstreamAuthorization {
  /** Undefined where no token is known of, nor asked for. */
  view(): AuthorizationView | undefined;
  /** The owner's act. Gives the page to open, or an empty text where Bursar has signed in by itself. See the route `upstreams.authorize`. */
  begin(): Promise<string>;
  /** Resolves at the end of a sign-in that is under way. Throws why the last one failed. */
  ended(signal: AbortSignal): Promise<void>;
  /** Forgets the tokens, then tells their authorization server, where it listens. */
  signOut(): Promise<void>;
  /** The keys were locked or unlocked: takes the tokens out of memory, or back in. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export function createTokenKeeper(options: TokenKeeperOptions): TokenKeeper {
  const { upstream, auth, grants, rule, fetch, locked, now, log } = options;
  const server = new URL(options.url);
  const isMachine = auth?.kind === 'client-credentials';
  let grant: Grant | undefined;
  /** A grant that could not be written yet: the token that it took the place of is good for nothing any more. */
  let unsaved: Grant | undefined;
  let asked: Challenge | undefined;
  /** Grows whenever the owner signs in or out, so that what was under way before changes nothing. */
  let generation = 0;
  let renewing: Promise<void> | undefined;
  let problem: BursarError | undefined;
  /** A token that the server refused although it was new. */
  let refusedToken: string | undefined;
  let told = '';

  const row = () => grants.get(upstream);
  const isConcerned = (): boolean => auth !== undefined || row() !== undefined;

  const tell = (): void => {
    const shown = JSON.stringify(view() ?? '');
    if (shown === told) return;
    told = shown;
    options.changed();
  };
  const lockedError = (): BursarError => new BursarError('WALLET_LOCKED', `The sign-in to the server "${upstream}" is locked with the keys.`, { context: { upstream } });
  const needed = (why = `The server "${upstream}" wants the owner to sign in.`): BursarError => {
    tell();
    return new BursarError('UPSTREAM_AUTHORIZATION_NEEDED', why, { context: { upstream }, hint: `Repeat the call once the owner has signed in, on the dashboard or with: ${options.command}` });
  };

  const save = async (next: Grant, wantedScope: string): Promise<void> => {
    unsaved = next;
    const mine = generation;
    const { issuer, resource, scope, client } = next;
    try {
      await grants.save(upstream, options.url, { issuer, clientId: client.client_id, resource, scope, wantedScope, secret: JSON.stringify(next) }, () => mine === generation && unsaved === next);
      if (unsaved === next) unsaved = undefined;
    } catch (error) {
      log.warn('the tokens of a server could not be written yet', { upstream, reason: toErrorInfo(error).code });
    }
  };
  const end = (): void => {
    generation++;
    grant = undefined;
    unsaved = undefined;
    grants.end(upstream);
    tell();
  };

  /** What was written for another address, or was changed, is no grant: the owner signs in again. */
  const openStored = async (): Promise<string | undefined> => {
    try {
      return await grants.open(upstream, options.url);
    } catch (error) {
      if (!isBursarError(error, 'DATABASE_CORRUPT')) throw error;
      log.warn('the tokens of a server are not as Bursar wrote them; they are not used', { upstream });
      grants.end(upstream);
      return undefined;
    }
  };

  /** One renewal for all calls that need it. A token that the server has replaced is never used again, and the new one is written before it is used. */
  const renew = (): Promise<void> => (renewing ??= renewNow().finally(() => (renewing = undefined)));
  const renewNow = async (): Promise<void> => {
    const mine = generation;
    const before = grant;
    const oauth = await loadOAuth();
    try {
      let next: Grant;
      if (auth?.kind === 'client-credentials') next = await oauth.fetchMachineGrant({ server, auth, challenge: asked, scope: oauth.computeScopeUnion(before?.scope, asked?.scope) ?? '', fetch, now });
      else if (before?.refreshToken !== undefined) next = await oauth.refresh({ ...before, refreshToken: before.refreshToken }, { fetch, now });
      else return;
      if (mine !== generation) return;
      if (!isMachine) await save(next, row()?.wantedScope ?? '');
      if (mine !== generation) return;
      grant = locked() ? undefined : next;
      problem = undefined;
      log.info('the token of a server was renewed', { upstream });
    } catch (error) {
      if (mine !== generation) return;
      if (!isMachine && oauth.isOver(error)) {
        end();
        throw needed(`The sign-in to the server "${upstream}" is over: its authorization server takes it no more.`);
      }
      problem = oauth.signInProblem(upstream, error);
      throw problem;
    } finally {
      tell();
    }
  };
  const canRenew = (): boolean => isMachine || grant?.refreshToken !== undefined;

  const renewedHeader = async (old: Grant): Promise<string | undefined> => {
    try {
      await renew();
    } catch (error) {
      // It is renewed ahead of its end, so for a while the old one still does.
      if (grant === old && old.expiresAt !== undefined && now() < old.expiresAt) return bearer(old);
      throw error;
    }
    if (grant === undefined && locked()) throw lockedError();
    return grant && bearer(grant);
  };

  const stepUp = async (challenge: Challenge): Promise<boolean> => {
    const { computeScopeUnion, isStrictScopeSuperset } = await loadOAuth();
    if (auth?.kind === 'client-credentials') {
      if (auth.scope !== undefined || !isStrictScopeSuperset(challenge.scope, grant?.scope)) return false;
      await renew();
      return true;
    }
    if (!isConcerned()) return false;
    const stored = row();
    const wanted = computeScopeUnion(stored?.scope, stored?.wantedScope, challenge.scope) ?? '';
    if (stored && wanted !== stored.wantedScope) grants.want(upstream, wanted);
    throw needed(`The server "${upstream}" wants the owner to sign in with more rights for this call.`);
  };

  const take = async (next: Grant): Promise<void> => {
    generation++;
    asked = undefined;
    problem = undefined;
    await save(next, '');
    grant = locked() ? undefined : next;
    log.info('the owner signed in to a server', { upstream });
  };

  const flow = createSignInFlow({
    upstream,
    take,
    onEnd(error) {
      if (error !== undefined) {
        problem = error;
        log.warn('a sign-in to a server failed', { upstream, reason: problem.message });
      }
      tell();
    },
  });

  function view(): AuthorizationView | undefined {
    const stored = row();
    const kind = isMachine ? 'client-credentials' : 'oauth';
    const facts = { kind, issuer: grant?.issuer ?? stored?.issuer ?? '', scope: grant?.scope ?? stored?.scope ?? '', why: problem?.message ?? '' } as const;
    if (flow.isOpen) return { ...facts, state: 'signing-in', why: '' };
    if (isMachine) return { ...facts, state: locked() ? 'locked' : 'automatic' };
    if (stored && !stored.over) {
      if (grant === undefined && locked()) return { ...facts, state: 'locked' };
      if (grant && grant.accessToken === refusedToken) return { ...facts, state: 'needed', why: 'The server refuses the token that was given for it.' };
      if (stored.wantedScope !== '') return { ...facts, state: 'needed', why: facts.why || 'A call needs more rights than were granted.' };
      return { ...facts, state: 'signed-in' };
    }
    if (stored || auth) return { ...facts, state: 'needed' };
    return asked && { ...facts, state: 'offered' };
  }

  return {
    view,
    header() {
      const current = grant;
      if (current === undefined) {
        const stored = locked() ? row() : undefined;
        if (stored && !stored.over) throw lockedError();
        return undefined;
      }
      return isFresh(current, now()) || !canRenew() ? bearer(current) : renewedHeader(current);
    },

    async refused({ status, challenges, sent }: AuthorizationRefusal) {
      const { readChallenge } = await loadOAuth();
      const challenge = readChallenge(challenges);
      const isStepUp = status === 403 && challenge?.error === 'insufficient_scope';
      if (status !== 401 && !isStepUp) return false;
      if (locked() && isConcerned()) throw lockedError();
      if (grant && bearer(grant) !== sent) return true;
      if (challenge) asked = challenge;
      if (isStepUp && challenge) return stepUp(challenge);
      if (!isConcerned()) {
        tell();
        return false;
      }
      const isJustGiven = grant !== undefined && now() - grant.issuedAt < JUST_GIVEN_MS;
      if (canRenew() && !isJustGiven) {
        await renew();
        return true;
      }
      if (isMachine) throw new BursarError('UPSTREAM_SIGN_IN_FAILED', `The server "${upstream}" refuses the token that its authorization server has just given.`, { context: { upstream } });
      if (grant && !isJustGiven) end();
      refusedToken = grant?.accessToken;
      throw needed(isJustGiven ? `The server "${upstream}" refuses the token that its authorization server has just given.` : undefined);
    },

    async begin() {
      if (locked()) throw lockedError();
      problem = undefined;
      if (auth?.kind === 'client-credentials') {
        await renew();
        return '';
      }
      const url = await flow.begin(async (signal) => {
        const { beginSignIn, probeChallenge } = await loadOAuth();
        const challenge = asked ?? (await probeChallenge(server, fetch));
        return beginSignIn({ upstream, server, auth, challenge, wantedScope: row()?.wantedScope ?? '', clientMetadataUrl: options.clientMetadataUrl(), rule, fetch, now, signal });
      });
      tell();
      return url;
    },

    async ended(signal) {
      await flow.ended(signal);
      if (!flow.isOpen && problem) throw problem;
    },

    async signOut() {
      const before = grant;
      flow.giveUp('The owner signed out.');
      generation++;
      grant = undefined;
      unsaved = undefined;
      problem = undefined;
      grants.remove(upstream);
      tell();
      if (!before || isMachine) return;
      const { revoke } = await loadOAuth();
      // Bursar has forgotten them already; a server that does not hear of it ends them in time.
      await revoke(before, fetch).catch(() => log.info('the tokens of a server could not be revoked', { upstream }));
    },

    async reload() {
      const mine = generation;
      if (locked()) grant = undefined;
      else if (unsaved) {
        grant = unsaved;
        await save(unsaved, row()?.wantedScope ?? '');
      } else if (!isMachine && grant === undefined) {
        const text = await openStored();
        if (text !== undefined && mine === generation) grant = JSON.parse(text) as Grant;
      }
      tell();
    },

    async close() {
      flow.giveUp('The sign-in was given up, because Bursar is closing or the server was changed.');
      const late = AbortSignal.timeout(CLOSE_MS);
      if (renewing) await Promise.race([renewing.catch(() => undefined), new Promise((resolve) => late.addEventListener('abort', resolve, { once: true }))]);
      generation++;
    },
  };
}
