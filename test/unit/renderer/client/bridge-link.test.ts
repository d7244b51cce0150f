import { expect, test } from 'vitest';
import { openBridgeLink, type Bridge } from '../../../../src/renderer/client/bridge-link.ts';

const bridge = (request: Bridge['request']): Bridge => ({ request, subscribe: () => () => undefined });

test('a rejected call across the bridge becomes an error envelope', async () => {
  const link = openBridgeLink(bridge(() => Promise.reject(new Error('no handler'))));
  expect(await link.request('app.status', {})).toMatchObject({ ok: false, error: { code: 'INTERNAL', hint: 'no handler' } });
});

test('an answer that is no envelope is not believed', async () => {
  const link = openBridgeLink(bridge(() => Promise.resolve({ value: 1 })));
  expect(await link.request('app.status', {})).toMatchObject({ ok: false, error: { context: { reason: 'unreadable' } } });
});

test('events of unknown topics do not reach the page', () => {
  let push: (event: unknown) => void = () => undefined;
  const link = openBridgeLink({ request: () => Promise.resolve(undefined), subscribe: (listener) => ((push = listener), () => undefined) });
  const seen: string[] = [];
  link.subscribe(({ topic }) => seen.push(topic));
  for (const event of [{ topic: 'app' }, { topic: 'keys' }, null, 'app']) push(event);
  expect(seen).toEqual(['app']);
});
