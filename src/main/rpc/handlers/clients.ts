import { homedir } from 'node:os';
import type { ClientKind, ClientRegistration } from '../../../shared/contract/clients.ts';
import type { ClientStore } from '../../adapters/store/clients.ts';
import { claudeDesktopConfigPath } from '../../clients/claude-desktop-path.ts';
import type { Registrations } from '../../clients/config-text.ts';
import { detectClient, previewRegistration, register, undoRegistration, type ClientState } from '../../clients/registration.ts';
import type { Handlers } from '../router.ts';

export interface ClientDeps {
  readonly clients: ClientStore;
  /** What the config of the client of that name is to say: one entry for each server. */
  readonly entries: (client: string) => Registrations;
  readonly mcpUrl: () => string;
  /** Why HTTP clients cannot reach Bursar now; empty where they can. */
  readonly httpProblem: () => string;
  readonly changed: () => void;
}

/** Under this name budgets count a client that was set up by hand. */
const OTHER_CLIENT = 'other';

type Routes = 'clients.list' | 'clients.preview' | 'clients.register' | 'clients.undo' | 'clients.token';

const CLIENTS: Readonly<Record<ClientKind, { readonly name: string; readonly path: () => string }>> = {
  'claude-desktop': { name: 'Claude Desktop', path: () => claudeDesktopConfigPath(process.platform, process.env, homedir()) },
};

export function clientHandlers({ clients, entries, mcpUrl, httpProblem, changed }: ClientDeps): Pick<Handlers, Routes> {
  const view = (kind: ClientKind, state: ClientState): ClientRegistration => ({ kind, name: CLIENTS[kind].name, path: CLIENTS[kind].path(), ...state });
  const changing = async (kind: ClientKind, act: (path: string) => Promise<ClientState>) => {
    const state = await act(CLIENTS[kind].path());
    changed();
    return view(kind, state);
  };
  return {
    'clients.list': async () => ({
      clients: await Promise.all((Object.keys(CLIENTS) as ClientKind[]).map(async (kind) => view(kind, await detectClient(CLIENTS[kind].path(), entries(kind))))),
      snippet: JSON.stringify({ mcpServers: entries(OTHER_CLIENT) }, null, 2),
      httpUrl: mcpUrl(),
      ...(httpProblem() !== '' && { httpProblem: httpProblem() }),
    }),
    'clients.preview': ({ kind }) => previewRegistration(CLIENTS[kind].path(), entries(kind)),
    'clients.register': ({ kind, digest }) => changing(kind, (path) => register(path, entries(kind), digest, new Date())),
    'clients.undo': ({ kind }) => changing(kind, (path) => undoRegistration(path, entries(kind), new Date())),
    'clients.token': async () => ({ token: (await clients.default()).token }),
  };
}
