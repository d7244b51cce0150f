import type { ClientStore } from '../../adapters/store/clients.ts';
import type { Registration } from '../../clients/registration.ts';
import type { Handlers } from '../router.ts';

export interface ClientDeps {
  readonly clients: ClientStore;
  readonly registration: Registration;
  /** The JSON that a client's config takes. */
  readonly snippet: () => string;
  readonly mcpUrl: () => string;
  readonly changed: () => void;
}

type Routes = 'clients.list' | 'clients.preview' | 'clients.register' | 'clients.undo' | 'clients.token';

export const clientHandlers = ({ clients, registration, snippet, mcpUrl, changed }: ClientDeps): Pick<Handlers, Routes> => ({
  'clients.list': async () => ({ clients: [...(await registration.list())], snippet: snippet(), httpUrl: mcpUrl() }),
  'clients.preview': ({ kind }) => registration.preview(kind),
  'clients.register': async ({ kind, digest }) => {
    const registered = await registration.register(kind, digest);
    changed();
    return registered;
  },
  'clients.undo': async ({ kind }) => {
    const undone = await registration.undo(kind);
    changed();
    return undone;
  },
  'clients.token': async () => ({ token: (await clients.default()).token }),
});
