import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createEventHub } from '../../../src/main/rpc/event-hub.ts';
import type { Event } from '../../../src/shared/contract/contract.ts';
import { recordingLog } from '../../support/rpc/contract-fakes.ts';

test('a burst of changes reaches a carrier once per topic', async () => {
  const hub = createEventHub({ log: recordingLog() });
  const heard: Event[] = [];
  hub.subscribe((event) => heard.push(event));
  for (let i = 0; i < 100; i++) hub.publish(i % 2 === 0 ? 'payments' : 'approvals');
  await nextTurn();
  expect(heard).toEqual([{ topic: 'payments' }, { topic: 'approvals' }]);
});

test('a change made while events are delivered is not lost', async () => {
  const hub = createEventHub({ log: recordingLog() });
  const heard: string[] = [];
  hub.subscribe(({ topic }) => {
    heard.push(topic);
    if (heard.length === 1) hub.publish('payments');
  });
  hub.publish('payments');
  await nextTurn();
  await nextTurn();
  expect(heard).toEqual(['payments', 'payments']);
});

test('one failing listener does not deafen the others, and one that left hears nothing', async () => {
  const log = recordingLog();
  const hub = createEventHub({ log });
  const heard: string[] = [];
  hub.subscribe(() => {
    throw new Error('broken window');
  });
  const leave = hub.subscribe(() => heard.push('left'));
  hub.subscribe(() => heard.push('stays'));
  leave();
  hub.publish('app');
  await nextTurn();
  expect(heard).toEqual(['stays']);
  expect(log.lines).toMatchObject([{ level: 'error', fields: { reason: 'broken window' } }]);
});
