import { z } from 'zod';
import { DecimalText, Empty, Timestamp } from './values.ts';
import { route } from './route.ts';

/** What may take proof that the owner is there. */
export const ProvenRoute = z.enum([
  'approvals.decide', 'approvals.saveRule', 'delegations.approve', 'delegations.topUp', 'requests.approve', 'policy.set', 'policy.resume', 'ledger.accept',
  'presence.set', 'presence.passkeys.add', 'presence.passkeys.remove', 'escrows.link', 'escrows.setPage', 'escrows.setMail', 'seeds.reveal', 'accounts.export',
  'backup.create', 'upstreams.add', 'upstreams.addPasted', 'contacts.add', 'contacts.edit', 'networks.set', 'facilitators.set', 'clients.add', 'clients.setScopes',
  'clients.rotate', 'clients.token', 'clients.link', 'clients.import', 'clients.protect',
]);
export type ProvenRoute = z.infer<typeof ProvenRoute>;

export const PresenceMethod = z.enum(['touch-id', 'passkey', 'passphrase']);
export type PresenceMethod = z.infer<typeof PresenceMethod>;

const Base64Url = z.string().max(16_384).regex(/^[A-Za-z0-9_-]+$/, 'is not base64url');
const CredentialId = Base64Url.max(1400);
/** Hints for the browser; it passes over what it does not know. */
const Transports = z.array(z.string().max(32)).max(16);

/** What names a passkey to the browser. */
const Descriptor = z.object({ id: CredentialId, type: z.literal('public-key'), transports: Transports });

/** WebAuthn, section 5.5, in JSON: what `navigator.credentials.get` is called with. */
export const PasskeyRequest = z.object({
  challenge: Base64Url,
  rpId: z.string(),
  timeout: z.number().int(),
  userVerification: z.literal('required'),
  allowCredentials: z.array(Descriptor),
});
export type PasskeyRequest = z.infer<typeof PasskeyRequest>;

/** WebAuthn, section 5.4, in JSON: what `navigator.credentials.create` is called with. */
export const PasskeyCreation = z.object({
  challenge: Base64Url,
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: Base64Url, name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  timeout: z.number().int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({ residentKey: z.literal('preferred'), userVerification: z.literal('required') }),
});
export type PasskeyCreation = z.infer<typeof PasskeyCreation>;

const Credential = { id: CredentialId, rawId: CredentialId, type: z.literal('public-key') };
/** What an authenticator signed. */
export const PasskeyAssertion = z.object({ ...Credential, response: z.object({ clientDataJSON: Base64Url, authenticatorData: Base64Url, signature: Base64Url }) });
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;
/** A new passkey. */
export const PasskeyAttestation = z.object({ ...Credential, response: z.object({ clientDataJSON: Base64Url, attestationObject: Base64Url, transports: Transports.optional() }) });
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>;

const Challenge = Base64Url.length(43);

/** One way to prove one act. */
export const PresenceProof = z.discriminatedUnion('kind', [
  z.object({ challenge: Challenge, kind: z.literal('passphrase'), passphrase: z.string().min(1).max(1024) }),
  z.object({ challenge: Challenge, kind: z.literal('passkey'), assertion: PasskeyAssertion }),
  /** Main asks the system itself. */
  z.object({ challenge: Challenge, kind: z.literal('touch-id') }),
]);
export type PresenceProof = z.infer<typeof PresenceProof>;

export const PresenceChallenge = z.object({
  challenge: Challenge,
  expiresAt: Timestamp,
  /** How it can be proven from here, the best one first. */
  methods: z.array(PresenceMethod).min(1),
  /** Where a passkey is one of them. */
  passkey: PasskeyRequest.optional(),
});
export type PresenceChallenge = z.infer<typeof PresenceChallenge>;

const PasskeyId = z.string().regex(/^[0-9a-f]{64}$/, 'name a passkey by its whole id');
export const PasskeyView = z.object({ id: PasskeyId, label: z.string(), createdAt: Timestamp, usedAt: Timestamp.optional() });
export type PasskeyView = z.infer<typeof PasskeyView>;

export const PresenceStatus = z.object({
  /** US dollars, or `off`. */
  above: z.union([z.literal('off'), DecimalText]),
  /** True where the owner set nothing. */
  byDefault: z.boolean(),
  /** How it would be proven from here; empty until a passphrase is set. */
  methods: z.array(PresenceMethod),
  passkeys: z.array(PasskeyView),
  /** True where this page can make a passkey: the headless one. */
  canAddPasskey: z.boolean(),
});
export type PresenceStatus = z.infer<typeof PresenceStatus>;

const Label = z.string().trim().min(1).max(40);

/**
 * Proof that the owner is there. A route that takes it throws `PRESENCE_REQUIRED`; then `begin`, `prove` and the very same request again, on the same
 * connection. A proof serves one act with one input, once, within a minute.
 */
export const presenceRoutes = {
  'presence.get': route('read', Empty, PresenceStatus),
  /** From which amount in US dollars on. Raising it, or turning it off, takes the proof itself. Throws `OWNER_REQUIRED` before a passphrase is set. */
  'presence.set': route('owner', z.object({ above: z.union([z.literal('off'), DecimalText.regex(/^\d+(\.\d{1,6})?$/, 'at most 6 decimal places')]) }), PresenceStatus),
  /** A challenge for one act: its route and input, as they will be sent. Throws what the gate throws for that route, `INPUT_INVALID`, `OWNER_REQUIRED` before a passphrase is set. */
  'presence.begin': route('read', z.object({ route: ProvenRoute, input: z.unknown() }), PresenceChallenge),
  /** Throws `PRESENCE_STALE`, `PRESENCE_FAILED`, `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`. After a wrong passphrase the same challenge serves again. */
  'presence.prove': route('read', PresenceProof, Empty),
  /** Throws `FORBIDDEN` where the page cannot have passkeys. */
  'presence.passkeys.begin': route('owner', Empty, PasskeyCreation),
  /** Takes the passphrase, and the proof of a passkey where there is one already. Throws `PRESENCE_STALE`, `PRESENCE_FAILED`, `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`. */
  'presence.passkeys.add': route('owner', z.object({ attestation: PasskeyAttestation, label: Label, passphrase: z.string().min(1).max(1024) }), PresenceStatus),
  /** Throws `NOT_FOUND`. */
  'presence.passkeys.remove': route('owner', z.object({ id: PasskeyId }), PresenceStatus),
} as const;
