import { homedir } from 'node:os';
import { ClientEntries, type ClientKind, type ClientRegistration } from '../../../shared/contract/clients.ts';
import { newToken, type ClientStore } from '../../adapters/store/clients.ts';
import { claudeDesktopConfigPath } from '../../clients/claude-desktop-path.ts';
import type { Registrations } from '../../clients/config-text.ts';
import { previewView } from '../../clients/preview-view.ts';
import { detectClient, previewRegistration, register, registeredVariable, undoRegistration, type ClientState } from '../../clients/registration.ts';
import { TOKEN_PLACEHOLDER, TOKEN_VARIABLE } from '../../program-files.ts';
import type { Handlers } from '../router.ts';

export interface ClientDeps {
  readonly clients: ClientStore;
  /** What the config of the client of that name is to say, with the token that proves the name. */
  readonly entries: (servers: ClientEntries, client: string, token: string) => Registrations;
  readonly mcpUrl: () => string;
  /** Why HTTP clients cannot reach Bursar now; empty where they can. */
  readonly httpProblem: () => string;
  readonly changed: () => void;
  /** The credential of a client ended. */
  readonly ended: (client: string) => void;
  /** Where a client keeps its configuration; the client's own place without it. */
  readonly configPath?: (kind: ClientKind) => string;
}

/** What a client that is set up by hand calls itself. */
const OTHER_CLIENT = 'other';

type Routes = 'clients.list' | 'clients.preview' | 'clients.register' | 'clients.undo' | 'clients.token';

const NAMES: Readonly<Record<ClientKind, string>> = { 'claude-desktop': 'Claude Desktop' };
const ownConfigPath = (_kind: ClientKind): string => claudeDesktopConfigPath(process.platform, process.env, homedir());

export function clientHandlers({ clients, entries, mcpUrl, httpProblem, changed, ended, configPath = ownConfigPath }: ClientDeps): Pick<Handlers, Routes> {
  /** Tokens that were shown in a preview and stand in no file yet. */
  const offered = new Map<ClientKind, string>();

  /** The entries with the token that the file has, where it is the client's, else with a new one. */
  const wanted = async (kind: ClientKind, servers: ClientEntries): Promise<{ readonly token: string; readonly registrations: Registrations }> => {
    const held = await registeredVariable(configPath(kind), TOKEN_VARIABLE);
    const isOwn = held !== undefined && clients.authenticate(held)?.name === kind;
    const token = isOwn ? held : (offered.get(kind) ?? newToken());
    if (!isOwn) offered.set(kind, token);
    return { token, registrations: entries(servers, kind, token) };
  };
  const view = (kind: ClientKind, state: ClientState): ClientRegistration => ({ kind, name: NAMES[kind], path: configPath(kind), ...state });
  const look = async (kind: ClientKind): Promise<ClientRegistration> => {
    let state: ClientState | undefined;
    for (const servers of ClientEntries.options) {
      state = await detectClient(configPath(kind), (await wanted(kind, servers)).registrations);
      if (state.state === 'registered') return { ...view(kind, state), entries: servers };
    }
    return view(kind, state ?? { state: 'absent', undoable: false });
  };

  const snippet = (servers: ClientEntries): string => JSON.stringify({ mcpServers: entries(servers, OTHER_CLIENT, TOKEN_PLACEHOLDER) }, null, 2);

  return {
    'clients.list': async () => ({
      clients: await Promise.all((Object.keys(NAMES) as ClientKind[]).map(look)),
      snippets: { all: snippet('all'), each: snippet('each') },
      httpUrl: mcpUrl(),
      ...(httpProblem() !== '' && { httpProblem: httpProblem() }),
    }),
    'clients.preview': async ({ kind, entries: servers }) => previewView(await previewRegistration(configPath(kind), (await wanted(kind, servers)).registrations)),
    'clients.register': async ({ kind, entries: servers, digest }) => {
      const { token, registrations } = await wanted(kind, servers);
      await register(configPath(kind), registrations, digest, new Date());
      if (offered.delete(kind)) clients.setToken(kind, token);
      changed();
      return look(kind);
    },
    'clients.undo': async ({ kind }) => {
      await undoRegistration(configPath(kind), {}, new Date());
      const registered = clients.list().find(({ name }) => name === kind);
      if (registered) {
        clients.remove(registered.id);
        ended(kind);
      }
      changed();
      return look(kind);
    },
    'clients.token': async () => ({ token: (await clients.default()).token }),
  };
}
