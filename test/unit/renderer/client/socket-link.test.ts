import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { TOPICS } from '../../../../src/renderer/client/link.ts';
import { backoffWithJitter, openSocketLink, type SocketLink } from '../../../../src/renderer/client/socket-link.ts';
import { Event, type RequestFrame, type Topic } from '../../../../src/shared/contract/contract.ts';

let server: WebSocketServer;
let links: SocketLink[];

beforeEach(async () => {
  links = [];
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterEach(async () => {
  for (const link of links) link.close();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const url = (): string => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
const open = (options: { answerWithin?: number } = {}): SocketLink => {
  const link = openSocketLink({ url: url(), key: 'k', backoff: () => 1, ...options });
  links.push(link);
  return link;
};
const connection = async (): Promise<ServerSocket> => ((await once(server, 'connection')) as [ServerSocket])[0];
const frameOf = async (socket: ServerSocket): Promise<RequestFrame> => JSON.parse(String((await once(socket, 'message'))[0])) as RequestFrame;
const until = (link: SocketLink, phase: 'open' | 'lost'): Promise<void> =>
  new Promise((resolve) => {
    if (link.state().phase === phase) return resolve();
    const stop = link.onState(() => {
      if (link.state().phase !== phase) return;
      stop();
      resolve();
    });
  });

describe('requests', () => {
  test('one made before the connection stands is sent once it does, and gets its own answer', async () => {
    const link = open();
    const both = Promise.all([link.request('app.status', {}), link.request('owner.status', {})]);
    const socket = await connection();
    socket.on('message', (raw: Buffer) => {
      const { id, route } = JSON.parse(raw.toString()) as RequestFrame;
      socket.send(JSON.stringify({ id, reply: { ok: true, value: route } }));
    });
    expect(await both).toEqual([
      { ok: true, value: 'app.status' },
      { ok: true, value: 'owner.status' },
    ]);
  });

  test('one in flight when the link drops is answered with an error, not with silence', async () => {
    const link = open();
    const socket = await connection();
    await until(link, 'open');
    const asked = link.request('approvals.decide', { paymentId: 'p', termsDigest: 'd', nonce: 'n', decision: 'approve' });
    await frameOf(socket);
    socket.terminate();
    expect(await asked).toMatchObject({ ok: false, error: { code: 'LINK_LOST', context: { reason: 'link-lost' } } });
  });

  test('one made while the link is down fails at once and is never sent later', async () => {
    const link = open();
    (await connection()).terminate();
    await until(link, 'lost');
    expect(await link.request('approvals.decide', { paymentId: 'p', termsDigest: 'd', nonce: 'n', decision: 'approve' })).toMatchObject({ ok: false });
    const again = await connection();
    await until(link, 'open');
    const next = frameOf(again);
    void link.request('app.status', {});
    expect(await next).toMatchObject({ route: 'app.status' });
  });

  test('one that main never answers fails after its time', async () => {
    const link = open({ answerWithin: 20 });
    await connection();
    expect(await link.request('app.status', {})).toMatchObject({ ok: false, error: { context: { reason: 'no-answer' } } });
  });

  test('a send is given up while its owner still decides, so that it is sent again', async () => {
    const link = open({ answerWithin: 20 });
    const socket = await connection();
    socket.on('message', (raw: Buffer) => {
      const { id, route } = JSON.parse(raw.toString()) as RequestFrame;
      if (route === 'sends.send') setTimeout(() => socket.send(JSON.stringify({ id, reply: { ok: true, value: 'sent' } })), 100);
    });
    const sent = link.request('sends.send', { to: { contact: 1 }, amount: '1' });
    expect(await link.request('app.status', {})).toMatchObject({ ok: false });
    expect(await sent).toEqual({ ok: true, value: 'sent' });
  });

  test('one made on a closed link fails', async () => {
    const link = open();
    await connection();
    link.close();
    expect(await link.request('app.status', {})).toMatchObject({ ok: false });
  });
});

describe('events', () => {
  test('are passed on by topic', async () => {
    const link = open();
    const seen = new Promise<Topic>((resolve) => link.subscribe(({ topic }) => resolve(topic)));
    (await connection()).send(JSON.stringify({ event: { topic: 'payments' } }));
    expect(await seen).toBe('payments');
  });

  test('every topic is signalled after a lost connection came back, and not on the first one', async () => {
    const seen: Topic[] = [];
    const link = open();
    link.subscribe(({ topic }) => seen.push(topic));
    const first = await connection();
    await until(link, 'open');
    expect(seen).toEqual([]);
    first.terminate();
    await until(link, 'lost');
    await until(link, 'open');
    expect(seen.toSorted()).toEqual(TOPICS.toSorted());
  });

  test('the list of topics is the contract’s', () => {
    expect([...TOPICS].toSorted()).toEqual([...Event.shape.topic.options].toSorted());
  });
});

test.each(['not json', '{"id":"1"}', '{"id":1,"reply":{"ok":false}}', '{"event":{"topic":"keys"}}', '[]', 'null'])('an unreadable frame (%s) ends the connection instead of being believed', async (frame) => {
  const link = open();
  const asked = link.request('app.status', {});
  (await connection()).send(frame);
  expect(await asked).toMatchObject({ ok: false });
  await connection();
  await until(link, 'open');
});

test('waits longer after every failure, up to a bound, and never the same for all', () => {
  const waits = [1, 2, 3, 4, 5, 6, 20].map((attempts) => backoffWithJitter(attempts, () => 0));
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
  expect(backoffWithJitter(1, () => 1)).toBe(125);
});
