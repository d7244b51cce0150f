import { expect, test } from 'vitest';
import { faucetsOf, isFaucetUrl } from '../../../../src/core/registry/faucets.ts';
import { NETWORKS } from '../../../../src/core/registry/networks.ts';

test('a network of real money names a faucet, a test network that is enabled from the start names none, or one is not reached safely', () => {
  for (const { id, real } of NETWORKS) {
    if (real) expect([id, faucetsOf(id)]).toEqual([id, []]);
    for (const { url } of faucetsOf(id)) expect([url, URL.parse(url)?.protocol]).toEqual([url, 'https:']);
  }
  for (const id of ['eip155:84532', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'] as const) expect(faucetsOf(id).length).toBeGreaterThan(0);
});

test('a page that only begins like a faucet is opened', () => {
  const { url } = faucetsOf('eip155:84532')[0]!;
  expect(isFaucetUrl(url)).toBe(true);
  for (const other of [`${url}login?next=//evil.example`, url.replace('https', 'http'), `${url.slice(0, -1)}.evil.example/`]) expect([other, isFaucetUrl(other)]).toEqual([other, false]);
});
