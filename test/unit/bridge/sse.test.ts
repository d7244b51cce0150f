import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventTooLargeError, sseEvent, sseReader, type ServerSentEvent } from '../../../src/main/bridge/sse.ts';

const read = (chunks: readonly string[], limit = 1 << 20): ServerSentEvent[] => {
  const events: ServerSentEvent[] = [];
  const push = sseReader(limit, (event) => events.push(event));
  for (const chunk of chunks) push(chunk);
  return events;
};

test('what is written as an event is read as the same text, wherever the stream is cut', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')).filter((text) => text !== '');
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), fc.constantFrom('\n', '\r', '\r\n'), (lines, places, end) => {
      const text = lines.map((one) => sseEvent(one)).join('').replaceAll('\n', end);
      const ends = [...new Set([...places.map((place) => place % (text.length + 1)), text.length])].toSorted((a, b) => a - b);
      const chunks = ends.map((place, index) => text.slice(ends[index - 1] ?? 0, place));
      // A reader cannot tell a lone CR at the end from half of a CR LF until more comes.
      expect(read([...chunks, ': end\n\n']).map(({ data }) => data)).toEqual(lines);
    }),
  );
});

test('fields are read as the standard says', () => {
  expect(read(['\ufeff: comment\nid: 7\nretry: 250\nevent: message\ndata:one\ndata:  two\nunknown: x\n\n'])).toEqual([{ event: 'message', data: 'one\n two', id: '7', retry: 250 }]);
  expect(read(['data\n\nevent: ping\ndata: x\n\nretry: soon\n\ndata: cut off'])).toEqual([
    { event: 'message', data: '', id: undefined, retry: undefined },
    { event: 'ping', data: 'x', id: undefined, retry: undefined },
  ]);
});

test('an event of nothing but empty lines grows without a bound', () => {
  expect(() => read(['data:\n'.repeat(2_000)], 1_000)).toThrow(EventTooLargeError);
});

test('a server that says to come back in a thousand years is asked again at once, because no timer waits so long', () => {
  expect(read(['retry: 31536000000000\ndata: x\n\n'])).toMatchObject([{ retry: 2 ** 31 - 1 }]);
});

test('an event without end does not fill the memory', () => {
  expect(() => read(['data: ', 'x'.repeat(60), 'x'.repeat(60)], 100)).toThrow(EventTooLargeError);
  expect(() => read(Array<string>(20).fill('data: 1234567890\n'), 100)).toThrow(EventTooLargeError);
  expect(read(Array<string>(20).fill('data: 1234567890\n\n'), 100)).toHaveLength(20);
});
