import type { Payments } from '../core/payments/pay.ts';
import { claimedName } from '../core/policy/unverified.ts';
import { EXECUTE_SCOPE, type Scope } from '../shared/access/scopes.ts';
import { BursarError } from '../shared/errors/errors.ts';
import { createAccessServer, type AccessServer } from './access/access-server.ts';
import { createAccessTokens } from './access/access-tokens.ts';
import { createClientAccess, type ClientAccess, type ClientAccessDeps } from './access/client-access.ts';
import { createTokenEndpoint } from './access/token-endpoint.ts';
import type { Bridge } from './bridge/bridge.ts';
import type { ClientToken } from './bridge/http-gate.ts';
import type { ToolSet } from './wallet-tools/tool-set.ts';

/** Who may connect, and as what. */
export interface Access extends ClientAccess {
  /** Metadata and token endpoint, for the local server. */
  readonly server: AccessServer;
  /** API keys and access tokens that are valid now. */
  tokens(): readonly ClientToken[];
  /** Calls back with the name of each client whose credential ended. */
  onEnded(listener: (client: string) => void): void;
  /** Says what runs, so that it can be ended. */
  attach(running: Running): void;
  /** The credential of a client ended: its tokens, sessions and unsigned payments do too; with `claimed` also those under its unproved name. */
  end(client: string, options?: { readonly claimed?: boolean }): void;
  /** The owner allows a client other things than before. */
  scopesChanged(client: string, scopes: readonly Scope[]): void;
}

interface Running {
  readonly bridge: Pick<Bridge, 'endClients'>;
  readonly payments: Pick<Payments, 'callOff' | 'reassess'>;
  readonly tools: Pick<ToolSet, 'changed'>;
}

export function wireAccess(deps: ClientAccessDeps): Access {
  const { clients, clock } = deps;
  const accessTokens = createAccessTokens({ clock });
  const listeners = new Set<(client: string) => void>();
  let running: Running | undefined;

  return {
    ...createClientAccess(deps),
    server: createAccessServer(createTokenEndpoint({ clients, tokens: accessTokens, clock })),
    tokens: () => {
      const current = accessTokens.current();
      return current.length === 0 ? clients.tokens() : [...clients.tokens(), ...current];
    },
    onEnded: (listener) => void listeners.add(listener),
    attach(what) {
      running = what;
    },
    end(client, { claimed = false } = {}) {
      const isConcerned = (name: string): boolean => (claimed ? claimedName(name) : name) === client;
      accessTokens.endClient(client);
      running?.payments.callOff(isConcerned, new BursarError('APPROVAL_CANCELLED', `The owner ended the access of the client "${client}" before it was paid.`));
      running?.bridge.endClients(isConcerned, new BursarError('FORBIDDEN', `The owner ended the access of the client "${client}".`, { context: { client }, hint: 'Ask the owner for a new key.' }));
      for (const listener of listeners) listener(client);
    },
    scopesChanged(client, scopes) {
      const isConcerned = (name: string): boolean => claimedName(name) === client;
      if (!scopes.includes(EXECUTE_SCOPE)) running?.payments.callOff(isConcerned, new BursarError('SCOPE_MISSING', `The owner does not let the client "${client}" have calls paid any more.`));
      // A tool of Bursar's own needs a scope of its own, which each of its calls asks for.
      running?.payments.reassess();
      running?.tools.changed();
    },
  };
}
