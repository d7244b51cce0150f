import { expect, test } from 'vitest';
import type { Payment } from '../../../src/core/payments/payment.ts';
import { requireAtRest } from '../../../src/main/settings/at-rest.ts';
import { networkSettings } from '../../../src/main/settings/network-settings.ts';

const row = (network: string, money: Payment['money']) => ({ terms: { network }, money }) as Payment;
const ledger = (...rows: readonly Payment[]) => ({ unresolved: () => rows });

test('I5: a network is disabled while money may still move on it', () => {
  for (const money of ['reserved', 'outstanding', 'settled'] as const) {
    expect(() => requireAtRest('eip155:8453', ledger(row('eip155:8453', money)), 0)).toThrow(expect.objectContaining({ code: 'NETWORK_BUSY' }));
  }
  expect(() => requireAtRest('eip155:8453', ledger(), 1)).toThrow(expect.objectContaining({ code: 'NETWORK_BUSY' }));
});

test('money of another network, or that cannot move any more, keeps a network enabled', () => {
  expect(() => requireAtRest('eip155:8453', ledger(row('eip155:137', 'outstanding'), row('eip155:8453', 'dead'), row('eip155:8453', 'none')), 0)).not.toThrow();
});

test('a network of real money can be enabled among test networks, faucets stand beside real money, or a network that was enabled has its addresses lost', () => {
  const testnets = networkSettings('testnet', { 'eip155:80002': { rpcUrls: ['https://own.example'] } });
  expect(testnets.map(({ network }) => network)).not.toContain('eip155:8453');
  expect(testnets[0]).toMatchObject({ network: 'eip155:80002', enabled: true, rpcUrls: ['https://own.example'], builtIn: [] });
  expect(testnets.find(({ network }) => network === 'eip155:84532')).toMatchObject({ enabled: false, rpcUrls: ['https://sepolia.base.org', 'https://base-sepolia-rpc.publicnode.com'] });
  expect(testnets.some(({ faucets }) => faucets.length > 0)).toBe(true);
  const real = networkSettings('mainnet', {});
  expect(real.every(({ faucets, enabled }) => faucets.length === 0 && !enabled)).toBe(true);
  expect(networkSettings('sandbox', {})).toEqual([]);
});
