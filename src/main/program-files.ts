import { join } from 'node:path';

/** Where the program's own files lie. */
export interface ProgramFiles {
  /** True in an installed application. */
  readonly packed: boolean;
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

/** A path within the archive that Electron reads, with the folder of resources before it. */
const IN_ARCHIVE = /^(.*[\\/])app\.asar([\\/].*)$/;
/** What a bare Node runs of an installed application, with the folder of resources before it. */
const BESIDE_ARCHIVE = /^(.*[\\/]resources[\\/])program[\\/]out[\\/]/i;

/** Node and command line of the installed application that a file of the program belongs to; undefined in a checkout. */
export function installedCommand(file: string): Pick<ProgramFiles, 'node' | 'cli'> | undefined {
  const [, resources] = IN_ARCHIVE.exec(file) ?? BESIDE_ARCHIVE.exec(file) ?? [];
  return resources === undefined ? undefined : programFiles(join(resources, 'app.asar', 'out', 'main'));
}

/**
 * The program's files, from the folder that its entries lie in (`out/main`). In an installed application that is an archive, which only
 * Electron can read and guards; what a bare Node runs lies beside it in `program`, with a Node of its own (`electron-builder.config.mjs`).
 */
export function programFiles(entries: string, node = process.env['BURSAR_NODE'] ?? process.execPath): ProgramFiles {
  const [, resources, inside] = IN_ARCHIVE.exec(entries) ?? [];
  const archived = {
    sandbox: join(entries, '..', 'sandbox', 'index.js'),
    pages: join(entries, '..', 'renderer'),
    preloads: join(entries, '..', 'preload'),
    resources: join(entries, '..', '..', 'resources'),
  };
  if (resources === undefined || inside === undefined) {
    return { ...archived, packed: false, node, shim: join(entries, 'shim.js'), cli: join(entries, 'cli.js'), search: join(entries, 'search.js') };
  }
  const program = join(resources, 'program');
  return {
    ...archived,
    packed: true,
    // Whatever the environment says: clients' configurations are to name the Node that was installed.
    node: join(program, process.platform === 'win32' ? 'node.exe' : 'node'),
    shim: join(program, 'out', 'main', 'shim.js'),
    cli: join(program, 'out', 'main', 'cli.js'),
    // Unpacked beside the library that it loads: two copies of SQLite in one process would lose each other's file locks.
    search: join(resources, 'app.asar.unpacked', inside, 'search.js'),
  };
}

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
