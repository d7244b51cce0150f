import type { Scope } from '../../../shared/access/scopes.ts';
import { USUAL_SCOPES } from '../../../shared/access/scopes.ts';
import type { ClientAccessView, NewCredential } from '../../../shared/contract/client-access.ts';
import { DEFAULT_CLIENT, newSecret, newToken, type Client, type ClientStore } from '../../adapters/store/clients.ts';
import type { Handlers } from '../router.ts';

export interface ClientAccessDeps {
  readonly clients: ClientStore;
  /** Empty while nothing listens. */
  readonly tokenUrl: () => string;
  readonly changed: () => void;
  /** The credential of a client ended; with `claimed` its name as well. */
  readonly ended: (client: string, options?: { readonly claimed?: boolean }) => void;
  readonly scopesChanged: (client: string, scopes: readonly Scope[]) => void;
}

type Routes = 'clients.access' | 'clients.add' | 'clients.setScopes' | 'clients.rotate' | 'clients.revoke';

export function clientAccessHandlers({ clients, tokenUrl, changed, ended, scopesChanged }: ClientAccessDeps): Pick<Handlers, Routes> {
  const told = ({ id, name, scopes, credential }: Client, secret: string): NewCredential =>
    credential === 'key' ? { credential, name, scopes: [...scopes], token: secret } : { credential, name, scopes: [...scopes], clientId: id, clientSecret: secret, tokenUrl: tokenUrl() };

  return {
    'clients.access': () => ({ clients: clients.list().map(viewOf), tokenUrl: tokenUrl() }),
    'clients.add': ({ name, credential, scopes }) => {
      const secret = credential === 'key' ? newToken() : newSecret();
      const client = clients.add({ name, credential, scopes: scopes ?? USUAL_SCOPES, secret });
      changed();
      return told(client, secret);
    },
    'clients.setScopes': ({ name, scopes }) => {
      const client = clients.setScopes(name, scopes);
      scopesChanged(name, client.scopes);
      changed();
      return viewOf(client);
    },
    'clients.rotate': async ({ name }) => {
      const rotate = (): { readonly client: Client; readonly secret: string } => {
        const secret = clients.find(name)?.credential === 'oauth' ? newSecret() : newToken();
        return { client: clients.setSecret(name, secret), secret };
      };
      const { client, secret } = name === DEFAULT_CLIENT ? await clients.rotateDefault().then((made) => ({ client: made.client, secret: made.token })) : rotate();
      ended(name);
      changed();
      return told(client, secret);
    },
    'clients.revoke': ({ name }) => {
      clients.revoke(name);
      ended(name, { claimed: true });
      changed();
      return { name, revoked: true };
    },
  };
}

const viewOf = ({ id, name, credential, scopes, createdAt, lastSeen }: Client): ClientAccessView => ({
  name,
  credential,
  ...(credential === 'oauth' && { clientId: id }),
  scopes: [...scopes],
  createdAt,
  ...(lastSeen !== undefined && { lastSeen }),
  isDefault: name === DEFAULT_CLIENT,
});
