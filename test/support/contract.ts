import { createInterface } from 'node:readline';
import { connectToApp } from '../../src/main/bridge/shim-connection.ts';
import type { Scope } from '../../src/shared/access/scopes.ts';
import type { Envelope, RouteInput, RouteName, RouteOutput, ServerFrame } from '../../src/shared/contract/contract.ts';
import { BursarError } from '../../src/shared/errors/errors.ts';
import { noteOwner } from './home-leaks.ts';

/** The owner's contract with a running application, over its local socket, as the command line has it. */
export interface OwnerContract {
  /** Throws what the envelope says. */
  request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>>;
  close(): void;
}

export async function ownerContract(home: string): Promise<OwnerContract> {
  const socket = await connectToApp({ home, hello: { role: 'control' }, startMs: 0 });
  const waiting = new Map<number, (reply: Envelope<unknown>) => void>();
  let next = 0;
  createInterface({ input: socket }).on('line', (line) => {
    const frame = JSON.parse(line) as ServerFrame;
    if ('id' in frame) waiting.get(frame.id)?.(frame.reply);
  });
  return {
    close: () => socket.destroy(),
    async request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>> {
      const id = next++;
      if (typeof input === 'object' && input !== null && 'passphrase' in input && typeof input.passphrase === 'string') noteOwner(home, input.passphrase);
      const reply = await new Promise<Envelope<unknown>>((resolve) => {
        waiting.set(id, resolve);
        socket.write(`${JSON.stringify({ id, route, input })}\n`);
      });
      if (reply.ok) return reply.value as RouteOutput<N>;
      throw new BursarError(reply.error.code, reply.error.message, { context: reply.error.context });
    },
  };
}

/** Lets every payment through that the caps allow, as an owner would set it on the Budgets page. */
export async function allowEverything(contract: OwnerContract): Promise<void> {
  const { number, policy } = await contract.request('policy.get', {});
  await contract.request('policy.set', { basedOn: number, policy: { ...policy, otherwise: 'allow' } });
}

/** The API key of a new client. */
export async function addClient(contract: OwnerContract, name: string, scopes?: readonly Scope[]): Promise<string> {
  const added = await contract.request('clients.add', { name, ...(scopes && { scopes: [...scopes] }) });
  if (added.credential !== 'key') throw new Error('not a key');
  return added.token;
}
