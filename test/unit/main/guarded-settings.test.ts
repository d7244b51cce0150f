import { describe, expect, it } from 'vitest';
import { defaultConfig, type Config } from '../../../src/main/adapters/home/config.ts';
import { guardedChanges, guardedText, withGuarded } from '../../../src/main/settings/guarded-settings.ts';

const BASE = 'eip155:8453';
const own: Config = defaultConfig('mainnet', '0123456789abcdef');
const changed = (change: Partial<Config>): readonly string[] => guardedChanges(guardedText(own), guardedText({ ...own, ...change }));

describe('what was changed in config.json is told', () => {
  it.each<[string, Partial<Config>, readonly string[]]>([
    ['RPC servers that could lie', { networks: { ...own.networks, [BASE]: { rpcUrls: ['https://lying.example/k', 'http://127.0.0.1:9'] } } }, ['RPC servers of Base: now lying.example, 127.0.0.1:9; it was mainnet.base.org, base-rpc.publicnode.com.']],
    ['a settlement that is final too early', { networks: { ...own.networks, [BASE]: { ...own.networks[BASE]!, confirmations: 1 } } }, ['RPC servers of Base: now mainnet.base.org, base-rpc.publicnode.com, final after 1 block; it was mainnet.base.org, base-rpc.publicnode.com.']],
    ['a network that was taken out', { networks: { [BASE]: own.networks[BASE]! } }, ['RPC servers of Solana: no longer set; it was api.mainnet-beta.solana.com, solana-rpc.publicnode.com.']],
    ['another settler', { facilitators: { '*': ['https://f.example/x'], [BASE]: ['https://g.example'] } }, ['Facilitators of every other network: now f.example.', 'Facilitators of Base: now g.example.']],
    ['a seller that takes the money before it answers', { clientSettlement: ['weather'] }, ['Servers whose payments Bursar settles itself: now weather.']],
    ['a page that could keep what people claim', { claims: { pageUrl: 'https://claim.example/p', expiryDays: 14 } }, ['Page where people claim what they were sent: now claim.example, for 14 days.']],
    ['nothing of all that', { port: 1, lockAfterMinutes: 5, bazaars: ['https://b.example'] }, []],
  ])('%s', (_, change, sentences) => {
    expect([...changed(change)].toSorted()).toEqual([...sentences].toSorted());
  });

  it('without the path of an address, which may be the key to a service', () => {
    const at = (path: string): Config => ({ ...own, networks: { [BASE]: { rpcUrls: [`https://rpc.example/v2/${path}`] } } });
    expect(guardedChanges(guardedText(at('c4nary')), guardedText(at('other')))).toEqual(['RPC servers of Base: other addresses at rpc.example.']);
  });
});

it('equal settings have equal texts, in whatever order the file has them', () => {
  const [first, second] = Object.entries(own.networks);
  const turned: Config = { ...own, networks: Object.fromEntries([second!, first!]), clientSettlement: ['b', 'a'] };
  expect(guardedText(turned)).toBe(guardedText({ ...own, clientSettlement: ['a', 'b'] }));
  // Which server is asked first is not the same.
  expect(guardedText({ ...own, networks: { [BASE]: { rpcUrls: ['https://a', 'https://b'] } } })).not.toBe(guardedText({ ...own, networks: { [BASE]: { rpcUrls: ['https://b', 'https://a'] } } }));
});

it('putting a guarded part back touches nothing else of the file', () => {
  const rest = { port: 4999, lowBalance: { x: '1' } };
  const full: Config = { ...own, ...rest, facilitators: { '*': ['https://f.example'] }, clientSettlement: ['weather'], claims: { pageUrl: 'https://c.example', expiryDays: 3 } };
  expect(withGuarded({ ...own, ...rest }, guardedText(full))).toEqual(full);
  expect(withGuarded({ ...full }, guardedText(own))).toEqual({ ...own, ...rest });
});
