import { createInterface } from 'node:readline';
import type { Environment } from '../../shared/contract/app.ts';
import type { Envelope, RouteInput, RouteName, RouteOutput, ServerFrame } from '../../shared/contract/contract.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { connectToApp } from '../bridge/shim-connection.ts';
import { openEngine } from '../compose.ts';
import { locate, type GlobalOptions } from '../locate.ts';
import type { ProgramFiles } from '../program-files.ts';
import { readPassphrase } from './passphrase.ts';

/** The contract as a command uses it. Requests throw what the envelope says; an owner's act asks for the passphrase once. */
export interface Connection {
  request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>>;
  close(): Promise<void>;
}

type Send = (route: string, input: unknown) => Promise<Envelope<unknown>>;

/** Talks to the running application, or opens the data folder itself where none runs. */
export async function connect(options: GlobalOptions, files: ProgramFiles, version: string): Promise<Connection> {
  const { folder, environment } = locate(options);
  const running = await connectToApp({ home: folder, hello: { role: 'control' }, startMs: 0 }).catch((error: unknown) => {
    if (isBursarError(error, 'UPSTREAM_UNREACHABLE')) return undefined;
    throw error;
  });
  if (running) return withOwner(overSocket(running), async () => void running.end(), environment);
  const engine = await openEngine({ environment, home: folder, host: 'headless', files, version, live: false });
  const caller = { surface: 'cli', connection: 'cli', host: 'headless' } as const;
  return withOwner((route, input) => engine.router.dispatch(route, input, caller), () => engine.close(), environment);
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

function withOwner(send: Send, close: () => Promise<void>, environment: Environment): Connection {
  const ask = async <N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>> => {
    const reply = await send(route, input);
    if (reply.ok) return reply.value as RouteOutput<N>;
    throw new BursarError(reply.error.code, reply.error.message, { hint: reply.error.hint, context: reply.error.context });
  };
  return {
    close,
    async request(route, input) {
      try {
        return await ask(route, input);
      } catch (error) {
        if (!isBursarError(error, 'OWNER_REQUIRED') && !isBursarError(error, 'WALLET_LOCKED')) throw error;
        const { passphraseSet } = await ask('owner.status', {});
        if (!passphraseSet) throw error;
        await ask('owner.unlock', { passphrase: await readPassphrase(environment) });
        return ask(route, input);
      }
    },
  };
}
