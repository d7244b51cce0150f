import { expect, test } from 'vitest';
import { nextStep, stepStates, type Known } from '../../../../src/renderer/dashboard/pages/onboarding/progress.ts';
import { linesOf, problemOf } from '../../../../src/renderer/dashboard/pages/settings/address-lines.ts';

const nothing: Known = { onboarding: { passed: [] }, accounts: undefined, payments: undefined, clients: undefined, access: undefined };
const asset = { network: 'eip155:84532', networkName: 'Base Sepolia', address: '0x1', symbol: 'USDC', decimals: 6 };
const holding = (units: string): Known['accounts'] => ({ balances: [{ accountId: 'a', asset, balance: { asset, units }, stale: false }] });
const registered = { clients: [{ kind: 'cursor', name: 'Cursor', path: '/c', state: 'registered', undoable: true, hasLink: false }] } satisfies Known['clients'];

test('what is not known yet counts as done', () => {
  expect(stepStates(nothing)).toEqual({ money: 'open', call: 'open', client: 'open' });
  expect(nextStep(stepStates(nothing))).toBe('money');
});

test('a step that its owner only went past is said to be done', () => {
  const states = stepStates({ ...nothing, onboarding: { passed: ['money', 'call', 'client'] }, accounts: holding('0') });
  expect(states).toEqual({ money: 'skipped', call: 'skipped', client: 'skipped' });
  expect(nextStep(states)).toBeUndefined();
});

test('money that nobody has seen yet makes the first step pass by', () => {
  expect(stepStates({ ...nothing, accounts: holding('1000000') }).money).toBe('open');
  expect(stepStates({ ...nothing, accounts: holding('1000000'), onboarding: { passed: ['money'] } }).money).toBe('done');
});

test('a client that is registered, or came by itself, is asked for again', () => {
  expect(stepStates({ ...nothing, clients: registered }).client).toBe('done');
  expect(stepStates({ ...nothing, access: { clients: [{ name: 'x', credential: 'key', scopes: [], createdAt: 1, lastSeen: 2, isDefault: false }] } }).client).toBe('done');
});

test('the step that is just being passed is opened again', () => {
  expect(nextStep(stepStates(nothing), 'money')).toBe('call');
  expect(nextStep(stepStates({ ...nothing, clients: registered, onboarding: { passed: ['money'] } }), 'call')).toBeUndefined();
});

test('addresses that are none are sent, or blank lines count as one', () => {
  expect(linesOf(' https://a.example \n\n\thttp://127.0.0.1:1\n')).toEqual(['https://a.example', 'http://127.0.0.1:1']);
  expect(problemOf('https://a.example\n\n')).toBeUndefined();
  for (const wrong of ['', '  \n', 'a.example', 'ftp://a.example', 'https://', 'javascript:alert(1)', ('https://a.example\n'.repeat(11))]) expect([wrong, problemOf(wrong)]).not.toEqual([wrong, undefined]);
});
