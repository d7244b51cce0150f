import { expect, test } from 'vitest';
import { NOWHERE } from '../../../src/main/bridge/channel.ts';
import { LazyAbort, RequestTable, type Exchange, type OpenRequest } from '../../../src/main/bridge/exchange.ts';

const request = (exchange: Exchange): OpenRequest => ({
  key: 'n7', idText: '7', exchange, progressKey: undefined, toolCallText: undefined, task: undefined, repeatedKey: undefined,
  startedAt: 0, listsTools: false, subscribes: false, abort: new LazyAbort(), state: 'awaiting',
});
const exchange = (): Exchange => ({ channel: NOWHERE, unanswered: new Set() });

test('an answer under an id that was used again goes to the request that is still waited for', () => {
  const table = new RequestTable();
  const [abandoned, live] = [request(exchange()), request(exchange())];
  table.add(abandoned);
  table.add(live);
  abandoned.abort.abort();
  expect(table.awaiting('n7')).toBe(live);
  // Where the transport tells whose answer it is, that counts.
  expect(table.awaiting('n7', abandoned.exchange)).toBe(abandoned);
  // One whose task was called off is due an answer all the same.
  abandoned.taskCancelled = true;
  expect(table.awaiting('n7')).toBe(abandoned);
  table.close(live);
  abandoned.taskCancelled = false;
  expect(table.awaiting('n7')).toBe(abandoned);
});
