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

interface ShimEntry {
  readonly files: Pick<ProgramFiles, 'node' | 'shim'>;
  /** The data folder. */
  readonly home: string;
  readonly client: string;
  readonly token: string;
  /** One server; all of them without it. */
  readonly upstream?: string;
}

/** What a client's config says to start the shim: absolute paths, because clients started from a desktop lack the shell's PATH. */
export const shimEntry = ({ files, home, client, token, upstream }: ShimEntry) => ({
  command: files.node,
  args: [files.shim, '--home', home, ...(upstream === undefined ? [] : ['--upstream', upstream]), '--client', client],
  env: { [TOKEN_VARIABLE]: token },
});

/** The entries of a client's config by name. */
export function clientEntries({ servers, upstreams = [], ...entry }: Omit<ShimEntry, 'upstream'> & { readonly servers: 'all' | 'each'; readonly upstreams?: readonly string[] }) {
  return Object.fromEntries(servers === 'all' ? [['bursar-all', shimEntry(entry)]] : upstreams.map((upstream) => [`bursar-${upstream}`, shimEntry({ ...entry, upstream })]));
}
