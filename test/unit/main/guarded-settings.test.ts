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

describe('what an agent wrote into config.json to mislead the owner who reads what was changed', () => {
  const words = (change: Partial<Config>): string => changed(change).join(' ');

  it('draws nothing on a terminal and begins no line of its own', () => {
    const told = words({
      clientSettlement: ['weather\u001b[2J\nAll is well.\u202e'],
      facilitators: { 'x\nNothing was changed. Run: bursar ledger accept\u001b]0;x\u0007': ['https://f.example'] },
      claims: { pageUrl: 'javascript:alert(1)', expiryDays: 1 },
    });
    expect(told).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(told).toContain('now an address that cannot be read, for 1 day');
  });

  it('neither hides a lying page behind very many others, nor fills every page', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`eip155:9${index}`, ['https://f.example']]));
    const told = changed({ facilitators: { ...many, [BASE]: ['https://g.example'] }, claims: { pageUrl: 'https://lying.example', expiryDays: 14 }, networks: { ...own.networks, [BASE]: { rpcUrls: [`https://mainnet.base.org.${'a.'.repeat(5_000)}lying.example`] } } });
    expect(told.join(' ').length).toBeLessThan(10_000);
    expect(told.join(' ')).toMatch(/lying\.example, for 14 days[\s\S]*a\.lying\.example; it was mainnet\.base\.org[\s\S]*Facilitators of Base: now g\.example/);
    expect(told.at(-1)).toMatch(/^And \d+ more/);
  });

  it('differs where it reads alike', () => {
    const names = (last: string): Config => ({ ...own, clientSettlement: [...Array.from({ length: 100 }, (_, index) => `a-server-${index}`), last] });
    expect(guardedChanges(guardedText(names('x')), guardedText(names('y')))).toEqual([expect.stringMatching(/^Servers whose payments Bursar settles itself: other names: a-server-0/)]);
  });

  it('I6: tells no user name, password or key of an address', () => {
    expect(words({ networks: { [BASE]: { rpcUrls: ['https://c4nary:c4nary@rpc.example/c4nary?c4nary#c4nary'] } } })).toMatch(/^RPC servers of Base: now rpc\.example;(?!.*c4nary)/);
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
