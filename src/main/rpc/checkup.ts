import type { NetworkId } from '../../core/registry/networks.ts';
import type { Check, Environment } from '../../shared/contract/app.ts';
import type { ClientRegistration } from '../../shared/contract/clients.ts';
import type { UpstreamTest } from '../../shared/contract/upstreams.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import type { NetworkOptions } from '../adapters/chain/chains.ts';
import type { Wallet } from '../adapters/keys/keys.ts';
import type { LedgerIntegrity } from '../adapters/store/integrity.ts';
import { checkNetworks } from './checkup-networks.ts';

export interface CheckupDeps {
  readonly environment: Environment;
  readonly wallet: Pick<Wallet, 'locked' | 'passphraseSet' | 'passphraseBeside' | 'backend'>;
  readonly integrity: Pick<LedgerIntegrity, 'verified' | 'findings' | 'cause' | 'canPutBack' | 'audit'>;
  readonly networks: () => Readonly<Partial<Record<NetworkId, NetworkOptions>>>;
  readonly clients: () => Promise<readonly ClientRegistration[]>;
  /** Names of the clients that have a token. */
  readonly tokens: () => readonly string[];
  readonly upstreams: () => readonly { readonly name: string; readonly enabled: boolean }[];
  /** Does a server wait for its owner to sign in? */
  readonly needsSignIn: (name: string) => boolean;
  readonly test: (name: string, options: { readonly withinMs: number }) => Promise<UpstreamTest>;
  readonly now: () => number;
  /** The whole command line of some words. */
  readonly command: (words: string) => string;
}

/** How long a server may take here; `upstream test` waits longer. */
const SERVER_WITHIN_MS = 15_000;

/** Looks at everything that a payment needs, and says what is wrong in sentences. Pays nothing and changes nothing. */
export async function checkUp({ servers }: { readonly servers: boolean }, deps: CheckupDeps): Promise<Check[]> {
  const [ledger, networks, clients, upstreams] = await Promise.all([checkLedger(deps), checkNetworks(deps), checkClients(deps), checkServers(servers, deps)]);
  return [checkKeys(deps), ledger, ...networks, ...clients, ...upstreams];
}

function checkKeys({ wallet, environment, command }: CheckupDeps): Check {
  const place = wallet.backend === 'keychain' ? 'the OS keychain' : 'a vault file';
  if (!wallet.passphraseSet && (wallet.locked || environment === 'mainnet')) {
    return { name: 'keys', state: 'warn', text: 'No passphrase is set, and nothing is paid before.', todo: `Set it on the dashboard, or with: ${command('passphrase set')}` };
  }
  if (wallet.locked) return { name: 'keys', state: 'warn', text: `The keys lie in ${place} and are locked.`, todo: 'Unlock Bursar on the dashboard; until then it serves what is free.' };
  if (wallet.passphraseBeside) return { name: 'keys', state: 'ok', text: `The keys lie in ${place} with its passphrase beside it, which is fit for play money only.`, todo: '' };
  return { name: 'keys', state: 'ok', text: `The keys lie in ${place}.`, todo: '' };
}

async function checkLedger({ integrity, command }: CheckupDeps): Promise<Check> {
  // Unverified means locked: the whole ledger is compared with the keys once they are there.
  if (!integrity.verified) return { name: 'ledger', state: 'warn', text: 'The database opens; it is compared with the keys once Bursar is unlocked.', todo: 'Unlock Bursar, then ask again.' };
  const { entries, payments } = await integrity.audit();
  const findings = integrity.findings();
  if (findings.length === 0) return { name: 'ledger', state: 'ok', text: `All ${entries} entries of ${payments} payments are as Bursar wrote them.`, todo: '' };
  return { name: 'ledger', state: 'fail', text: findings.join(' '), todo: `Nothing is paid until you have looked: ${command('ledger verify')}, then ${integrity.canPutBack ? `${command('ledger put-back')} ${integrity.cause === 'settings' ? 'or' : 'and'} ` : ''}${command('ledger accept')}` };
}

async function checkClients({ clients, tokens, command }: CheckupDeps): Promise<Check[]> {
  const registered = (await clients()).map(({ kind, name, path, state, undoable }): Check | undefined => {
    const check = { name: `client ${kind}` };
    if (state === 'malformed') return { ...check, state: 'fail', text: `${path} is not valid, so ${name} may not start its servers.`, todo: 'Correct the file; Bursar leaves it alone.' };
    if (state === 'registered') return { ...check, state: 'ok', text: `${name} is registered and its token is valid.`, todo: '' };
    if (undoable) return { ...check, state: 'warn', text: `${name} has entries of Bursar's that are not the ones of now: a server, a path or the token differs.`, todo: "Press Register on the dashboard's Connect page." };
    return undefined;
  });
  const names = tokens();
  const all: Check = names.length === 0
    ? { name: 'clients', state: 'warn', text: 'No client has a token yet.', todo: `Register one on the dashboard's Connect page, or with: ${command('connect')}` }
    : { name: 'clients', state: 'ok', text: `${names.length === 1 ? 'One client has a token' : `${names.length} clients have tokens`}: ${names.join(', ')}.`, todo: '' };
  return [...registered.filter((check) => check !== undefined), all];
}

async function checkServers(test: boolean, deps: CheckupDeps): Promise<Check[]> {
  const upstreams = deps.upstreams();
  if (upstreams.length === 0) return [{ name: 'servers', state: 'warn', text: 'There is no server yet.', todo: `Add one with: ${deps.command('upstream add NAME --url URL')}` }];
  return Promise.all(
    upstreams.map(async ({ name, enabled }): Promise<Check> => {
      const check = { name: `server ${name}` };
      if (!enabled) return { ...check, state: 'ok', text: 'Disabled.', todo: '' };
      if (deps.needsSignIn(name)) return { ...check, state: 'warn', text: 'It waits for you to sign in.', todo: `On the dashboard's Connect page, or with: ${deps.command(`upstream authorize ${name}`)}` };
      if (!test) return { ...check, state: 'ok', text: 'Not tried, because Bursar is not running.', todo: '' };
      try {
        const { tools, more, tookMs } = await deps.test(name, { withinMs: SERVER_WITHIN_MS });
        return { ...check, state: 'ok', text: `Answered with ${tools.length + more} tools in ${tookMs} ms.`, todo: '' };
      } catch (error) {
        const { message, hint } = toErrorInfo(error);
        return { ...check, state: 'fail', text: message, todo: hint };
      }
    }),
  );
}
