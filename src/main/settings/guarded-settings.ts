import { z } from 'zod';
import { canonicalJson } from '../../core/json/canonical.ts';
import { findNetwork } from '../../core/registry/networks.ts';
import { Config } from '../adapters/home/config.ts';
import type { Home } from '../adapters/home/home.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { GuardedSettings } from '../adapters/store/settings-watch.ts';

/**
 * The settings that say whose word counts: who tells what the chain holds (I5), who settles, and where people claim money. Who writes `config.json`
 * could free budget with them, so that Bursar takes a change from outside only from its owner (I7).
 */
const Guarded = z.strictObject({
  networks: Config.shape.networks,
  facilitators: Config.shape.facilitators,
  clientSettlement: Config.shape.clientSettlement,
  claims: Config.shape.claims,
});
type Guarded = z.infer<typeof Guarded>;

/** The guarded settings of a data folder. `changed` is called when others were put in force. */
export const guardedSettings = (home: Pick<Home, 'environment' | 'config' | 'replace'>, changed: () => void): GuardedSettings => ({
  environment: home.environment,
  text: () => guardedText(home.config()),
  put(text) {
    home.replace(withGuarded(home.config(), text));
    changed();
  },
  changes: guardedChanges,
});

/** The guarded part of a configuration as one text: equal settings have equal texts. */
export function guardedText({ networks, facilitators, clientSettlement, claims }: Config): string {
  const guarded: Guarded = { networks, facilitators: facilitators ?? {}, clientSettlement: clientSettlement?.toSorted() ?? [], ...(claims && { claims }) };
  return canonicalJson(JSON.stringify(guarded));
}

/** A configuration with another guarded part. Throws where `text` is none of {@link guardedText}'s. */
export function withGuarded({ networks: _networks, facilitators: _facilitators, clientSettlement: _settlement, claims: _claims, ...rest }: Config, text: string): Config {
  const { networks, facilitators = {}, clientSettlement = [], claims } = Guarded.parse(JSON.parse(text));
  return {
    ...rest,
    networks,
    ...(Object.keys(facilitators).length > 0 && { facilitators }),
    ...(clientSettlement.length > 0 && { clientSettlement }),
    ...(claims && { claims }),
  };
}

/** Sentences told at most, and characters of a name and of a list: whoever wrote the file chose them, and what matters must not drown in them. */
const MOST_SENTENCES = 30;
const LONGEST_NAME = 80;
const LONGEST_LIST = 400;

/** What differs between two such texts, a sentence each for the owner. Of an address only its host is told: the rest often holds the key to a service. */
export function guardedChanges(before: string, after: string): readonly string[] {
  const was = wordsOf(before);
  const is = wordsOf(after);
  const sentences = [...new Set([...is.keys(), ...was.keys()])]
    .toSorted((a, b) => placeOf(is.get(a) ?? was.get(a)) - placeOf(is.get(b) ?? was.get(b)))
    .flatMap((what) => {
      const [old, now] = [was.get(what), is.get(what)];
      if (old?.exact === now?.exact) return [];
      if (!now) return [`${what}: no longer set; it was ${old?.words}.`];
      if (!old) return [`${what}: now ${now.words}.`];
      return [old.words === now.words ? `${what}: other ${now.of} ${now.words}.` : `${what}: now ${now.words}; it was ${old.words}.`];
    });
  const more = sentences.length - MOST_SENTENCES;
  return more > 0 ? [...sentences.slice(0, MOST_SENTENCES), `And ${more} more of that kind.`] : sentences;
}

interface Words {
  readonly exact: string;
  readonly words: string;
  /** What `words` tells only a part of. */
  readonly of: 'addresses at' | 'names:';
  /** True where it concerns no network that there is. */
  readonly unknown?: boolean;
}

const placeOf = (words: Words | undefined): number => (words?.unknown ? 1 : 0);

function wordsOf(text: string): ReadonlyMap<string, Words> {
  const { networks, facilitators = {}, clientSettlement = [], claims } = Guarded.parse(JSON.parse(text));
  const networkName = (id: string): string => findNetwork(id)?.name ?? `"${plain(id)}"`;
  return new Map([
    ...(claims === undefined ? [] : [['Page where people claim what they were sent', { exact: JSON.stringify([claims.pageUrl, claims.expiryDays]), words: `${claims.pageUrl === '' ? 'none' : hosts([claims.pageUrl])}, for ${claims.expiryDays} day${claims.expiryDays === 1 ? '' : 's'}`, of: 'addresses at' }] as const]),
    ...(clientSettlement.length === 0 ? [] : [['Servers whose payments Bursar settles itself', { exact: JSON.stringify(clientSettlement), words: cut(clientSettlement.map(plain).join(', ')), of: 'names:' }] as const]),
    ...Object.entries(networks).map(([id, { rpcUrls, confirmations }]): [string, Words] => [
      `RPC servers of ${networkName(id)}`,
      { exact: JSON.stringify([rpcUrls, confirmations]), words: [hosts(rpcUrls), ...(confirmations === undefined ? [] : [`final after ${confirmations} block${confirmations === 1 ? '' : 's'}`])].join(', '), of: 'addresses at' },
    ]),
    ...Object.entries(facilitators).map(([id, urls]): [string, Words] => [
      `Facilitators of ${id === '*' ? 'every other network' : networkName(id)}`,
      { exact: JSON.stringify(urls), words: hosts(urls), of: 'addresses at', unknown: id !== '*' && !findNetwork(id) },
    ]),
  ]);
}

const plain = (name: string): string => cleanText(name, LONGEST_NAME).replace(/\s+/g, ' ').trim() || 'a name that cannot be shown';
const cut = (list: string): string => cleanText(list, LONGEST_LIST);

const hosts = (urls: readonly string[]): string => cut(urls.map(hostOf).join(', '));

/** The end of a long one: there stands whose it is. */
function hostOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : '';
  if (host === '') return 'an address that cannot be read';
  return host.length > LONGEST_NAME ? `…${host.slice(-LONGEST_NAME)}` : host;
}
