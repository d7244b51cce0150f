import { z } from 'zod';
import { route } from './route.ts';
import { Empty } from './values.ts';

/** MCP clients that Bursar can register itself in. */
export const ClientKind = z.enum(['claude-desktop']);
export type ClientKind = z.infer<typeof ClientKind>;

/** What is written into a client: one entry with the tools of all servers and Bursar's own, or one for each server, whose tools then keep their names. */
export const ClientEntries = z.enum(['all', 'each']);
export type ClientEntries = z.infer<typeof ClientEntries>;

export const ClientRegistration = z.object({
  kind: ClientKind,
  name: z.string(),
  /** The file that would be changed. */
  path: z.string(),
  /** `absent`: the client's folder is not there; `malformed`: the file is, but is not valid and is left alone. */
  state: z.enum(['absent', 'unregistered', 'registered', 'malformed']),
  /** True when a backup of ours can be put back. */
  undoable: z.boolean(),
  /** Which form of Bursar's entries the file has, where it is `registered`. */
  entries: ClientEntries.optional(),
});
export type ClientRegistration = z.infer<typeof ClientRegistration>;

export const clientRoutes = {
  'clients.list': route(
    'read',
    Empty,
    z.object({
      clients: z.array(ClientRegistration),
      /** The JSON to copy into any client by hand, in both forms. */
      snippets: z.record(ClientEntries, z.string()),
      /** The same for clients that speak HTTP, with the token of the default client left out. */
      httpUrl: z.string(),
      /** Why that address cannot be reached now, as a sentence. */
      httpProblem: z.string().optional(),
    }),
  ),
  /** Bursar's own entries of the file before and after, without values that may be secret, and the digest that `register` must carry. Nothing is written. */
  'clients.preview': route('read', z.object({ kind: ClientKind, entries: ClientEntries.default('all') }), z.object({ path: z.string(), before: z.string(), after: z.string(), changes: z.boolean(), digest: z.string() })),
  /** Writes what was previewed after a backup beside the file. A file that changed since throws `APPROVAL_STALE`. */
  'clients.register': route('owner', z.object({ kind: ClientKind, entries: ClientEntries.default('all'), digest: z.string() }), ClientRegistration),
  /** Puts the backup back, byte for byte, unless the file changed since; then only our entries are taken out. */
  'clients.undo': route('owner', z.object({ kind: ClientKind }), ClientRegistration),
  /** The bearer token of the default HTTP client, for the owner to copy. */
  'clients.token': route('owner', Empty, z.object({ token: z.string() })),
} as const;
