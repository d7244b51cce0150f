import type { Clock, Log, Policies } from '../core/ports.ts';
import type { Home } from './adapters/home/home.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { Db } from './adapters/store/database.ts';
import { createUpstreamGrants } from './adapters/store/upstream-grants.ts';
import { bursarCommand } from './bursar-command.ts';
import { createUpstreamAuths, type UpstreamAuths } from './upstream-auth/upstream-auth.ts';

export interface UpstreamAuthPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly wallet: Wallet;
  readonly home: Home;
  readonly policies: Policies;
  readonly changed: () => void;
  readonly log: Log;
}

/** The sign-ins to servers, over the data folder and the keys. */
export const wireUpstreamAuth = ({ db, clock, wallet, home, policies, changed, log }: UpstreamAuthPorts): UpstreamAuths =>
  createUpstreamAuths({
    grants: createUpstreamGrants(db, clock, wallet.sealer),
    isOpenHost: ({ host, hostname }) => (policies.current().policy.paying?.openHosts ?? []).some((open) => open === host || open === hostname),
    clientMetadataUrl: () => home.config().clientMetadataUrl,
    locked: () => wallet.locked,
    command: (words) => bursarCommand(words, home),
    now: () => clock.now(),
    changed,
    log,
  });
