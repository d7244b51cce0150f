import { z } from 'zod';
import { Scope } from '../access/scopes.ts';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

/** Name of a registered client. `default` is Bursar's own. */
export const ClientName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/, 'use 1 to 40 letters, digits, spaces, dots, _ and -');

/** With what a client proves itself: an API key, which is its bearer token, or an id and a secret for the token endpoint. */
export const CredentialKind = z.enum(['key', 'oauth']);
export type CredentialKind = z.infer<typeof CredentialKind>;

/** A client that may connect. */
export const ClientAccessView = z.object({
  name: z.string(),
  credential: CredentialKind,
  /** What it gives at the token endpoint, where it uses one. */
  clientId: z.string().optional(),
  scopes: z.array(Scope),
  createdAt: Timestamp,
  /** To the minute; absent where it never came. */
  lastSeen: Timestamp.optional(),
  /** Bursar's own client, which cannot be revoked. */
  isDefault: z.boolean(),
});
export type ClientAccessView = z.infer<typeof ClientAccessView>;

/** A credential, shown this once. */
export const NewCredential = z.discriminatedUnion('credential', [
  z.object({ credential: z.literal('key'), name: z.string(), scopes: z.array(Scope), token: z.string() }),
  z.object({ credential: z.literal('oauth'), name: z.string(), scopes: z.array(Scope), clientId: z.string(), clientSecret: z.string(), tokenUrl: z.string() }),
]);
export type NewCredential = z.infer<typeof NewCredential>;

const Named = z.object({ name: ClientName });

/** Who may connect and what they may do. No agent reaches any of it (I7). */
export const clientAccessRoutes = {
  /** The clients that may connect, in the order they were added, and the token endpoint; that is empty while nothing listens. */
  'clients.access': route('read', Empty, z.object({ clients: z.array(ClientAccessView), tokenUrl: z.string() })),
  /** A client of a new name. Without `scopes` it may do what clients usually may: read, and have calls paid under the policy. */
  'clients.add': route('owner', z.object({ name: ClientName, credential: CredentialKind.default('key'), scopes: z.array(Scope).optional() }), NewCredential),
  /** What a client may do from now on. It always has `payment_context:read`, the least that may connect. */
  'clients.setScopes': route('owner', z.object({ name: ClientName, scopes: z.array(Scope) }), ClientAccessView),
  /** A new credential of the same kind. The old one ends at once, and what runs with it. */
  'clients.rotate': route('owner', Named, NewCredential),
  /** Ends a client: its credential, its sessions, and what it has waiting for the owner. Its name is refused until it is added again. */
  'clients.revoke': route('owner', Named, z.object({ name: z.string(), revoked: z.literal(true) })),
} as const;
