import type { Clock, Log } from '../../core/ports.ts';
import type { PasskeyAssertion, PasskeyAttestation, PasskeyCreation, PasskeyRequest } from '../../shared/contract/presence.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { fingerprintOf, type Passkey, type PasskeyStore } from '../adapters/store/passkeys.ts';

/**
 * The relying party: passkeys need a name and take no address (WebAuthn, section 5.1.2). It has no port, so every page of this machine under
 * `localhost` could ask for one of Bursar's; what it signs then names that page's origin, and is refused.
 */
const RP_ID = 'localhost';

/** How long the browser waits for the person. */
export const CEREMONY_MS = 2 * 60_000;

/** EdDSA, ES256, RS256 (COSE). */
const ALGORITHMS = [-8, -7, -257];

/** What was signed, for which challenge, on which page. */
export interface Ceremony<T> {
  readonly response: T;
  /** base64url. */
  readonly challenge: string;
  /** Origin of the page in this run, with its port. */
  readonly origin: string;
}

export interface Passkeys {
  /** The passkeys that count. */
  list(): readonly (Passkey & { readonly fingerprint: string })[];
  /** What the page calls its authenticator with, to prove something. */
  request(challenge: string): PasskeyRequest;
  /** Throws `PRESENCE_FAILED` unless a passkey that counts signed this challenge here, after it verified the person. */
  verify(ceremony: Ceremony<PasskeyAssertion>): Promise<void>;
  /** What the page calls its authenticator with, to make one. */
  creation(challenge: string, userId: string): PasskeyCreation;
  /** A new passkey, kept; it counts once the policy names its fingerprint. Throws `PRESENCE_FAILED`. */
  register(ceremony: Ceremony<PasskeyAttestation> & { readonly label: string }): Promise<{ readonly fingerprint: string }>;
  remove(fingerprint: string): void;
}

export interface PasskeyPorts {
  readonly store: PasskeyStore;
  /** Fingerprints that the policy in force names. */
  readonly trusted: () => readonly string[];
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

export function createPasskeys({ store, trusted, clock, log }: PasskeyPorts): Passkeys {
  const list: Passkeys['list'] = () => {
    const named = trusted();
    return store.list().map((passkey) => ({ ...passkey, fingerprint: fingerprintOf(passkey) })).filter(({ fingerprint }) => named.includes(fingerprint));
  };
  const descriptors = (): PasskeyRequest['allowCredentials'] =>
    list().map(({ id, transports }) => ({ id, type: 'public-key', transports: [...transports] }));
  /** The library's words may quote what was signed; they go to the log alone. */
  const failed = (what: string, cause: unknown): BursarError => {
    log.warn(what, { reason: cause instanceof Error ? cause.message : String(cause) });
    return new BursarError('PRESENCE_FAILED', 'The passkey did not prove that you are there.');
  };

  return {
    list,
    request: (challenge) => ({ challenge, rpId: RP_ID, timeout: CEREMONY_MS, userVerification: 'required', allowCredentials: descriptors() }),

    async verify({ response, challenge, origin }) {
      const passkey = list().find(({ id }) => id === response.id);
      if (!passkey) throw failed('a passkey that does not count was used', response.id.slice(0, 80));
      // Loaded at first use: it would make every start slower.
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
      const { id, publicKey, counter } = passkey;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...response, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: RP_ID,
        credential: { id, publicKey, counter },
        requireUserVerification: true,
      }).catch((error: unknown) => {
        throw failed('a passkey did not verify', error);
      });
      if (!verified || !authenticationInfo.userVerified) throw failed('a passkey did not verify', 'the signature is another one');
      store.used(id, authenticationInfo.newCounter, clock.now());
    },

    creation: (challenge, userId) => ({
      challenge,
      rp: { id: RP_ID, name: 'Bursar' },
      user: { id: userId, name: 'Owner of Bursar', displayName: 'Owner of Bursar' },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: CEREMONY_MS,
      attestation: 'none',
      excludeCredentials: descriptors(),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    }),

    async register({ response, challenge, origin, label }) {
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: { ...response, response: { clientDataJSON: response.response.clientDataJSON, attestationObject: response.response.attestationObject }, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: RP_ID,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch((error: unknown) => {
        throw failed('a new passkey did not verify', error);
      });
      if (!verified || !registrationInfo.userVerified) throw failed('a new passkey did not verify', 'the signature is another one');
      const { id, publicKey, counter } = registrationInfo.credential;
      const passkey = { id, publicKey: new Uint8Array(publicKey), counter, transports: response.response.transports ?? [], label, createdAt: clock.now() };
      store.put(passkey);
      return { fingerprint: fingerprintOf(passkey) };
    },

    remove(fingerprint) {
      for (const passkey of store.list()) if (fingerprintOf(passkey) === fingerprint) store.remove(passkey.id);
    },
  };
}
