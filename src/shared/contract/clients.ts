import { z } from 'zod';
import { route } from './route.ts';
import { Empty, UpstreamName } from './values.ts';

/** MCP clients that Bursar can register itself in. */
export const ClientKind = z.enum(['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'codex', 'gemini-cli', 'zed']);
export type ClientKind = z.infer<typeof ClientKind>;

/** What is written into a client: one entry with the tools of all servers and Bursar's own, or one for each server, whose tools then keep their names. */
export const ClientEntries = z.enum(['all', 'each']);
export type ClientEntries = z.infer<typeof ClientEntries>;

export const ClientRegistration = z.object({
  kind: ClientKind,
  name: z.string(),
  /** The file that would be changed. */
  path: z.string(),
  /** `absent`: there is no sign of the client; `malformed`: its file is there, but is not valid and is left alone. */
  state: z.enum(['absent', 'unregistered', 'registered', 'malformed']),
  /** True when a backup of ours can be put back. */
  undoable: z.boolean(),
  /** Which form of Bursar's entries the file has, where it is `registered`. */
  entries: ClientEntries.optional(),
  /** True where `clients.link` gives an address that adds Bursar to it. */
  hasLink: z.boolean(),
});
export type ClientRegistration = z.infer<typeof ClientRegistration>;

/** The concerned entries of a file before and after, without values that may be secret. */
export const ClientPreview = z.object({
  path: z.string(),
  before: z.string(),
  after: z.string(),
  /** False where the file would stay as it is. */
  changes: z.boolean(),
  /** Stands for this very change; what makes it must carry it. */
  digest: z.string(),
});
export type ClientPreview = z.infer<typeof ClientPreview>;

/** A server that stands in a client's file and is not Bursar's. */
export const ClientServer = z.object({
  kind: ClientKind,
  /** What people call the client. */
  client: z.string(),
  path: z.string(),
  /** Its name in that file; a stranger's text. */
  name: z.string(),
  transport: z.enum(['http', 'stdio']).optional(),
  /** How it is reached, without what may be a secret. */
  address: z.string(),
  /** Names of its variables or headers, whose values Bursar would keep sealed. */
  secrets: z.array(z.string()),
  /** `free`; `imported`: Bursar has it; `protected`: the client reaches it through Bursar; `unfit`: see `problem`. */
  state: z.enum(['free', 'imported', 'protected', 'unfit']),
  /** The server behind Bursar that it is, where there is one. */
  upstream: UpstreamName.optional(),
  /** In a sentence, why Bursar cannot take it. */
  problem: z.string().optional(),
});
export type ClientServer = z.infer<typeof ClientServer>;

const ServerOfClient = z.object({ kind: ClientKind, name: z.string().min(1).max(500) });

export const clientRoutes = {
  'clients.list': route(
    'read',
    Empty,
    z.object({
      /** Those that are installed first. */
      clients: z.array(ClientRegistration),
      /** The JSON to copy into any client by hand, in both forms. */
      snippets: z.record(ClientEntries, z.string()),
      /** The same for clients that speak HTTP, with the token of the default client left out. */
      httpSnippet: z.string(),
      httpUrl: z.string(),
      /** Why that address cannot be reached now, as a sentence. */
      httpProblem: z.string().optional(),
    }),
  ),
  /** What `clients.register` would change. Nothing is written. */
  'clients.preview': route('read', z.object({ kind: ClientKind, entries: ClientEntries.default('all') }), ClientPreview),
  /** Writes what was previewed after a backup beside the file. A file that changed since throws `APPROVAL_STALE`. */
  'clients.register': route('owner', z.object({ kind: ClientKind, entries: ClientEntries.default('all'), digest: z.string() }), ClientRegistration),
  /** Puts the backup back, byte for byte, unless the file changed since; then only our entries are taken out. */
  'clients.undo': route('owner', z.object({ kind: ClientKind }), ClientRegistration),
  /** An address that makes the client ask its user to add Bursar. It carries the client's token. Throws `INPUT_INVALID` for a client without one. */
  'clients.link': route('owner', z.object({ kind: ClientKind }), z.object({ url: z.string() })),
  /** The bearer token of the default HTTP client, for the owner to copy. */
  'clients.token': route('owner', Empty, z.object({ token: z.string() })),
  /** The servers that stand in the files of the clients that are installed; files that cannot be read are left out. */
  'clients.importable': route('read', Empty, z.object({ servers: z.array(ClientServer) })),
  /** Adds such a server behind Bursar. The client's file stays as it is. Throws `NOT_FOUND`, `INPUT_INVALID` where it is unfit. */
  'clients.import': route('owner', ServerOfClient, z.object({ upstream: UpstreamName })),
  /** What `clients.protect` would change. Nothing is written. Throws as `clients.import` does. */
  'clients.previewProtect': route('read', ServerOfClient, ClientPreview.extend({ upstream: UpstreamName })),
  /**
   * Keeps such a server in Bursar, its secrets sealed, and puts Bursar in its place in the client's file; its name stays.
   * Throws as `clients.register` and `clients.import` do, and `WALLET_LOCKED`.
   */
  'clients.protect': route('owner', ServerOfClient.extend({ digest: z.string() }), ClientServer),
  /** Puts the server's own entry back as it was, byte for byte, and forgets what Bursar kept of it. Throws `NOT_FOUND`, `WALLET_LOCKED`. */
  'clients.unprotect': route('owner', ServerOfClient, Empty),
} as const;
