import { expect, test } from 'vitest';
import { openBridgeLink } from '../../../../src/renderer/client/bridge-link.ts';
import { parsedLink } from '../../../../src/renderer/client/parsed-link.ts';

const answering = (value: unknown) => parsedLink(openBridgeLink({ request: () => Promise.resolve({ ok: true, value }), subscribe: () => () => undefined }));

test('a value that does not fit its route never reaches a page', async () => {
  expect(await answering({ unit: 'USD', todayUnits: 5, byUpstream: [] }).request('payments.spend', {})).toMatchObject({
    ok: false,
    error: { code: 'INTERNAL', context: { reason: 'unreadable' } },
  });
});

test('a fitting value arrives without the members that the contract does not name', async () => {
  const reply = await answering({ unit: 'USD', todayUnits: '5', byUpstream: [], secret: 'x' }).request('payments.spend', {});
  expect(reply).toEqual({ ok: true, value: { unit: 'USD', todayUnits: '5', byUpstream: [] } });
});
