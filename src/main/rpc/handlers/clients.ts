import { ClientEntries, type ClientKind, type ClientRegistration } from '../../../shared/contract/clients.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { ClientStore } from '../../adapters/store/clients.ts';
import { clientFile, type ClientFile } from '../../clients/client-file.ts';
import type { ClientTokens } from '../../clients/client-tokens.ts';
import { isOwn } from '../../clients/config-text.ts';
import type { Entries } from '../../clients/formats/config-format.ts';
import type { Machine, Registration } from '../../clients/kinds/client-spec.ts';
import { CLIENT_SPECS, clientSpec } from '../../clients/kinds/kinds.ts';
import { previewView } from '../../clients/preview-view.ts';
import { detectClient, previewRegistration, register, undoRegistration } from '../../clients/registration.ts';
import { TOKEN_PLACEHOLDER } from '../../program-files.ts';
import type { Handlers } from '../router.ts';

export interface ClientDeps {
  readonly clients: ClientStore;
  readonly tokens: ClientTokens;
  /** What the config of the client of that name is to say, with the token that proves the name. */
  readonly entries: (servers: ClientEntries, client: string, token: string) => Readonly<Record<string, Registration>>;
  readonly mcpUrl: () => string;
  /** Why HTTP clients cannot reach Bursar now; empty where they can. */
  readonly httpProblem: () => string;
  readonly changed: () => void;
  readonly machine: Machine;
}

/** What a client that is set up by hand calls itself. */
const OTHER_CLIENT = 'other';

type Routes = 'clients.list' | 'clients.preview' | 'clients.register' | 'clients.undo' | 'clients.link' | 'clients.token';

export function clientHandlers({ clients, tokens, entries, mcpUrl, httpProblem, changed, machine }: ClientDeps): Pick<Handlers, Routes> {
  const fileOf = (kind: ClientKind): Promise<ClientFile> => clientFile(clientSpec(kind), machine);
  const wanted = async (kind: ClientKind, servers: ClientEntries, file: ClientFile): Promise<Entries> => {
    const registrations = entries(servers, kind, await tokens.offer(kind, file));
    return Object.fromEntries(Object.entries(registrations).map(([name, registration]) => [name, clientSpec(kind).entry(registration)]));
  };
  const look = async (kind: ClientKind): Promise<ClientRegistration> => {
    const { name, installLink } = clientSpec(kind);
    const file = await fileOf(kind);
    let view: ClientRegistration = { kind, name, path: file.path, state: 'absent', undoable: false, hasLink: installLink !== undefined };
    for (const servers of ClientEntries.options) {
      view = { ...view, ...(await detectClient(file, await wanted(kind, servers, file))) };
      if (view.state === 'registered') return { ...view, entries: servers };
    }
    return view;
  };
  const isThere = ({ state }: ClientRegistration) => Number(state !== 'absent');

  const snippet = (servers: ClientEntries): string => JSON.stringify({ mcpServers: entries(servers, OTHER_CLIENT, TOKEN_PLACEHOLDER) }, null, 2);
  const httpSnippet = (): string => JSON.stringify({ mcpServers: { 'bursar-all': { type: 'http', url: mcpUrl(), headers: { Authorization: `Bearer ${TOKEN_PLACEHOLDER}` } } } }, null, 2);

  return {
    'clients.list': async () => ({
      clients: (await Promise.all((Object.keys(CLIENT_SPECS) as ClientKind[]).map(look))).toSorted((a, b) => isThere(b) - isThere(a)),
      snippets: { all: snippet('all'), each: snippet('each') },
      httpSnippet: httpSnippet(),
      httpUrl: mcpUrl(),
      ...(httpProblem() !== '' && { httpProblem: httpProblem() }),
    }),
    'clients.preview': async ({ kind, entries: servers }) => {
      const file = await fileOf(kind);
      return previewView(await previewRegistration(file, await wanted(kind, servers, file)), file.shape, isOwn);
    },
    'clients.register': async ({ kind, entries: servers, digest }) => {
      const file = await fileOf(kind);
      await register(file, await wanted(kind, servers, file), digest, new Date());
      tokens.keep(kind);
      changed();
      return look(kind);
    },
    'clients.undo': async ({ kind }) => {
      const file = await fileOf(kind);
      await undoRegistration(file, new Date());
      await tokens.release(kind, file);
      changed();
      return look(kind);
    },
    'clients.link': async ({ kind }) => {
      const { name, installLink, entry } = clientSpec(kind);
      if (!installLink) throw new BursarError('INPUT_INVALID', `${name} has no address that adds a server.`, { context: { client: kind } });
      const [first] = Object.entries(entries('all', kind, await tokens.offer(kind, await fileOf(kind))));
      if (!first) throw new BursarError('INTERNAL', 'There is no entry for all servers.');
      // The client writes the entry by itself, at a time that Bursar does not see: the token is valid from here on.
      tokens.keep(kind);
      changed();
      return { url: installLink(first[0], entry(first[1])) };
    },
    'clients.token': async () => ({ token: (await clients.default()).token }),
  };
}
