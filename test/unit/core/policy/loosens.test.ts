import { expect, test } from 'vitest';
import { loosens } from '../../../../src/core/policy/loosens.ts';
import { Policy } from '../../../../src/shared/policy/policy.ts';

const base = { version: 1, timeZone: 'UTC', otherwise: 'ask', caps: [{ window: 'call', unit: 'USD', amount: '1.00' }], rules: [{ when: { tool: 'joke' }, verdict: 'allow' }] };
const policy = (change: object = {}) => Policy.parse({ ...base, ...change });
const cap = (amount: string) => ({ window: 'call', unit: 'USD', amount });

test.each([
  ['nothing', {}],
  ['a lower cap, written in another way', { caps: [cap('0.999999')] }],
  ['the same cap, written in another way', { caps: [cap('1')] }],
  ['one more cap', { caps: [cap('1.00'), { ...cap('50'), window: 'day' }] }],
  ['a denial before all rules', { rules: [{ when: { upstream: 'bad' }, verdict: 'deny' }, ...base.rules] }],
  ['a stricter default', { otherwise: 'deny' }],
  ['a pause', { paused: true }],
  ['an allowance less', { rules: [] }],
  ['a list of servers', { only: { upstreams: ['weather'] } }],
  ['a wider cap in the place of a narrower one', { caps: [{ ...cap('1.00') }, { ...cap('1.00'), over: { upstream: 'weather' } }] }],
  ['proof from less on', { presence: { above: '0.10' } }],
])('I7: %s is taken for loosening, so that stopping needs a proof', (_name, change) => {
  expect(loosens(policy(), policy(change), true)).toBe(false);
});

test.each([
  ['a higher cap', { caps: [cap('1.000001')] }],
  ['no cap', { caps: [] }],
  ['a cap of something narrower in its place', { caps: [{ ...cap('1.00'), over: { upstream: 'weather' } }] }],
  ['a cap of another window in its place', { caps: [{ ...cap('1.00'), window: 'session' }] }],
  ['another rule', { rules: [{ when: { tool: 'joke' }, verdict: 'allow' }, { when: { tool: 'poem' }, verdict: 'allow' }] }],
  ['an allowance before all rules', { rules: [{ when: {}, verdict: 'allow' }, ...base.rules] }],
  ['a laxer default', { otherwise: 'allow' }],
  ['another time zone, in which the day begins anew', { timeZone: 'Asia/Tokyo' }],
  ['an account that may pay for itself', { paying: { accounts: [{ account: 'a' }] } }],
  ['another token that is taken first', { paying: { tokens: ['stripe:card/token:usd'] } }],
  ['a trusted token', { paying: { trusted: [{ asset: `eip155:1/erc20:0x${'0'.repeat(40)}`, symbol: 'X', decimals: 6 }] } }],
  ['an open host', { paying: { openHosts: ['localhost:1'] } }],
  ['proof from more on', { presence: { above: '1.01' } }],
  ['proof never', { presence: { above: 'off' } }],
  ['a passkey', { presence: { passkeys: ['0'.repeat(64)] } }],
])('I7: %s is not taken for loosening', (_name, change) => {
  expect(loosens(policy(), policy(change), true)).toBe(true);
});

test('the end of a pause, of a denial, or of an allowlist, is not taken for loosening', () => {
  expect(loosens(policy({ rules: [{ when: { tool: 'joke' }, verdict: 'deny' }] }), policy({ rules: [] }), true)).toBe(true);
  expect(loosens(policy({ paused: true }), policy(), true)).toBe(true);
  expect(loosens(policy({ only: { payees: ['a'] } }), policy(), true)).toBe(true);
});

test('play money counts what it leaves out as the usual amount of real money', () => {
  expect(loosens(policy(), policy({ presence: { above: 'off' } }), false)).toBe(false);
  expect(loosens(policy({ presence: { above: '5' } }), policy(), false)).toBe(true);
});
