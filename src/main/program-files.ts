import { join } from 'node:path';

/** Where the program's own files lie. */
export interface ProgramFiles {
  /** The Node that runs shim and sandbox: this process's own, or in Electron the one that its starter names. */
  readonly node: string;
  readonly shim: string;
  readonly cli: string;
  readonly sandbox: string;
  /** The thread that looks through the ledger. */
  readonly search: string;
  /** Folder of the built pages. */
  readonly pages: string;
  readonly preloads: string;
  /** Folder of icons and tray images. */
  readonly resources: string;
}

/** The files of a build, from the folder that its entries lie in (`out/main`). */
export const programFiles = (entries: string, node = process.env['BURSAR_NODE'] ?? process.execPath): ProgramFiles => ({
  node,
  shim: join(entries, 'shim.js'),
  cli: join(entries, 'cli.js'),
  sandbox: join(entries, '..', 'sandbox', 'index.js'),
  search: join(entries, 'search.js'),
  pages: join(entries, '..', 'renderer'),
  preloads: join(entries, '..', 'preload'),
  resources: join(entries, '..', '..', 'resources'),
});

/** Brings a client's token to the shim: not an argument, which every user of the machine could read. */
export const TOKEN_VARIABLE = 'BURSAR_CLIENT_TOKEN';

/** Stands where a token is not to be shown. A client that sends it is unverified. */
export const TOKEN_PLACEHOLDER = '<token>';

/** All servers by one entry, with Bursar's own tools, or an entry for each of the named ones. */
export type EntriesFor = { readonly servers: 'all' } | { readonly servers: 'each'; readonly upstreams: readonly string[] };

/** What a client's config says to start the shim: absolute paths, because clients started from a desktop lack the shell's PATH. */
export function clientEntries({ files, home, client, token, ...wanted }: { files: ProgramFiles; home: string; client: string; token: string } & EntriesFor) {
  const entry = (...server: string[]) => ({ command: files.node, args: [files.shim, '--home', home, ...server, '--client', client], env: { [TOKEN_VARIABLE]: token } });
  return Object.fromEntries(wanted.servers === 'all' ? [['bursar-all', entry()]] : wanted.upstreams.map((upstream) => [`bursar-${upstream}`, entry('--upstream', upstream)]));
}
