import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Environment } from '../../shared/contract/app.ts';
import type { Envelope, RouteInput, RouteName, RouteOutput, ServerFrame } from '../../shared/contract/contract.ts';
import { ProvenRoute } from '../../shared/contract/presence.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { readConfig } from '../adapters/home/config.ts';
import { homePaths } from '../adapters/home/home.ts';
import { connectToApp } from '../bridge/shim-connection.ts';
import { bursarCommand } from '../bursar-command.ts';
import { openEngine } from '../compose.ts';
import { locate, type GlobalOptions } from '../locate.ts';
import type { ProgramFiles } from '../program-files.ts';
import { askUnseen, passphraseFromFile } from './passphrase.ts';

/** The contract as a command uses it. Requests throw what the envelope says; an owner's act asks for the passphrase once, and so does one that takes proof of presence. */
export interface Connection {
  /** False where the command opened the data folder itself. */
  readonly running: boolean;
  /** The setup code, where the command opened the data folder itself and so is the Bursar that was started. */
  readonly setupCode?: string;
  request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>>;
  close(): Promise<void>;
}

type Send = (route: string, input: unknown) => Promise<Envelope<unknown>>;

export interface ConnectOptions {
  /** Begins an empty ledger where that of existing keys is lost. */
  readonly newLedger?: boolean;
  /** Makes the default folder of a kind of money that was named, as `serve` would. */
  readonly mayMakeFolder?: boolean;
  /** `approvals` answers payments, for which Bursar has to run. */
  readonly role?: 'control' | 'approvals';
  /** Never opens the data folder itself: throws `UPSTREAM_UNREACHABLE` where nothing runs. */
  readonly onlyRunning?: boolean;
}

/** Talks to the running application, or opens the data folder itself where none runs. Throws `NOT_FOUND` where there is no such folder. */
export async function connect(options: GlobalOptions, files: ProgramFiles, version: string, { newLedger = false, mayMakeFolder = false, role = 'control', onlyRunning = false }: ConnectOptions = {}): Promise<Connection> {
  const location = locate(options, files);
  const { folder, environment } = location;
  requireSameMoney(location);
  const running = await connectToApp({ home: folder, hello: { role }, startMs: 0 }).catch((error: unknown) => {
    if (isBursarError(error, 'UPSTREAM_UNREACHABLE')) return undefined;
    throw error;
  });
  if (running) return withOwner({ running: true, send: overSocket(running), close: async () => void running.end(), location });
  const { config, database, vault } = homePaths(folder);
  // What waits for an answer is in the memory of the application that asks.
  if (role === 'approvals' || onlyRunning) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running here.', { hint: `${role === 'approvals' ? 'No payment waits. ' : ''}Start it with: npm start.` });
  // A misspelt --home must not become a folder; the default one of a kind of money cannot be misspelt.
  const isNamed = options.network !== undefined && (options.home ?? process.env['BURSAR_HOME']) === undefined;
  if (!(mayMakeFolder && isNamed) && ![config, database, vault].some((path) => existsSync(path))) {
    throw new BursarError('NOT_FOUND', `There is no Bursar data folder at ${folder}.`, { hint: 'Correct --home, or start Bursar there once: npm start.' });
  }
  const engine = await openEngine({ environment, home: folder, host: 'headless', files, version, newLedger, live: false });
  const caller = { surface: 'cli', connection: 'cli', host: 'headless' } as const;
  return withOwner({ running: false, send: (route, input) => engine.router.dispatch(route, input, caller), close: () => engine.close(), location, setupCode: engine.setupCode });
}

/** What the folder says counts: under another name its real money would take a passphrase from a file. Throws `HOME_NETWORK_MISMATCH`. */
export function requireSameMoney({ folder, environment }: Carrier['location']): void {
  const actual = readConfig(homePaths(folder).config)?.environment ?? environment;
  if (actual !== environment) throw new BursarError('HOME_NETWORK_MISMATCH', `The data folder ${folder} is for ${actual}, not for ${environment}.`);
}

function overSocket(socket: Awaited<ReturnType<typeof connectToApp>>): Send {
  const waiting = new Map<number, { resolve: (reply: Envelope<unknown>) => void; reject: (error: Error) => void }>();
  let next = 0;
  createInterface({ input: socket }).on('line', (line) => {
    const frame = JSON.parse(line) as ServerFrame;
    if (!('id' in frame)) return;
    waiting.get(frame.id)?.resolve(frame.reply);
    waiting.delete(frame.id);
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new BursarError('UPSTREAM_UNREACHABLE', 'Bursar ended before it answered.'));
  });
  return (route, input) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      socket.write(`${JSON.stringify({ id, route, input })}\n`);
    });
}

interface Carrier {
  readonly running: boolean;
  readonly send: Send;
  readonly close: () => Promise<void>;
  readonly location: { readonly folder: string; readonly environment: Environment };
  readonly setupCode?: string;
}

function withOwner({ running, send, close, location, setupCode }: Carrier): Connection {
  const ask = async <N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>> => {
    const reply = await send(route, input);
    if (reply.ok) return reply.value as RouteOutput<N>;
    throw new BursarError(reply.error.code, reply.error.message, { hint: reply.error.hint, context: reply.error.context });
  };
  /** What the owner typed here for this command: it proves that they are there, and they are not asked for it twice. A file proves nothing. */
  let typed: string | undefined;

  const beOwner = async (error: BursarError): Promise<void> => {
    const { passphraseSet } = await ask('owner.status', {});
    if (!passphraseSet) {
      throw new BursarError(error.code, error.message, { hint: `Set a passphrase first: ${running ? 'on the dashboard, or with: ' : ''}${bursarCommand('passphrase set', location)}`, cause: error });
    }
    const filed = passphraseFromFile(location.environment);
    const passphrase = filed ?? (await askUnseen('Passphrase: '));
    await ask('owner.unlock', { passphrase });
    if (filed === undefined) typed = passphrase;
  };
  const prove = async (route: ProvenRoute, input: unknown): Promise<void> => {
    const { challenge } = await ask('presence.begin', { route, input });
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: typed ?? (await askUnseen('Passphrase, to prove that you are there: ')) });
  };

  const request = async <N extends RouteName>(route: N, input: RouteInput<N>, done: readonly ErrorCode[] = []): Promise<RouteOutput<N>> => {
    try {
      return await ask(route, input);
    } catch (error) {
      // What was given once and is asked for again is refused.
      if (!(error instanceof BursarError) || done.includes(error.code)) throw error;
      const provable = ProvenRoute.safeParse(route);
      if (error.code === 'OWNER_REQUIRED' || error.code === 'WALLET_LOCKED') await beOwner(error);
      else if (error.code === 'PRESENCE_REQUIRED' && provable.success) await prove(provable.data, input);
      else throw error;
      return request(route, input, [...done, error.code]);
    }
  };
  return { running, ...(setupCode !== undefined && { setupCode }), close, request: (route, input) => request(route, input) };
}
