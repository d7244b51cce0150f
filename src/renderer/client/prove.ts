import { startAuthentication, startRegistration, WebAuthnAbortService } from '@simplewebauthn/browser';
import type { RouteInput } from '../../shared/contract/contract.ts';
import type { PresenceChallenge, PresenceMethod, ProvenRoute } from '../../shared/contract/presence.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { Link } from './link.ts';

/** An act that main wants proof for. */
export interface UnprovenAct {
  readonly route: ProvenRoute;
  readonly input: unknown;
}

/** What came of asking: proven, not confirmed by the person (browsers say no more), or refused by main. */
export type Tried = { readonly kind: 'proven' } | { readonly kind: 'stopped' } | { readonly kind: 'refused'; readonly error: ErrorInfo };

/** Proves one act in one of its ways; `passphrase` is what was typed, where that is the way. */
export async function prove(link: Link, asked: PresenceChallenge, method: PresenceMethod, passphrase = ''): Promise<Tried> {
  const { challenge } = asked;
  if (method === 'passphrase') return send(link, { challenge, kind: method, passphrase });
  if (method === 'touch-id') return send(link, { challenge, kind: method });
  const assertion = asked.passkey && (await ceremony(() => startAuthentication({ optionsJSON: asked.passkey! })));
  if (!assertion) return { kind: 'stopped' };
  const { id, rawId, type, response } = assertion;
  const { clientDataJSON, authenticatorData, signature } = response;
  return send(link, { challenge, kind: method, assertion: { id, rawId, type, response: { clientDataJSON, authenticatorData, signature } } });
}

async function send(link: Link, proof: RouteInput<'presence.prove'>): Promise<Tried> {
  const reply = await link.request('presence.prove', proof);
  return reply.ok ? { kind: 'proven' } : { kind: 'refused', error: reply.error };
}

/** Lets the browser make a passkey; undefined where it made none. */
export async function makePasskey(options: Parameters<typeof startRegistration>[0]['optionsJSON']): Promise<RouteInput<'presence.passkeys.add'>['attestation'] | undefined> {
  const made = await ceremony(() => startRegistration({ optionsJSON: options }));
  if (!made) return undefined;
  const { id, rawId, type, response } = made;
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, rawId, type, response: { clientDataJSON, attestationObject, ...(transports && { transports }) } };
}

/** Ends whatever the browser asks the person now. */
export const stopCeremony = (): void => WebAuthnAbortService.cancelCeremony();

/** Whether somebody said no, nothing fits or the browser cannot do it: it does not tell, so that no page learns what is there. */
const ceremony = <T>(work: () => Promise<T>): Promise<T | undefined> => work().catch(() => undefined);
