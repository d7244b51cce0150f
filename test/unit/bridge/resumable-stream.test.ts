import { expect, test } from 'vitest';
import type { EventStream } from '../../../src/main/bridge/http-reply.ts';
import { createResumableStream } from '../../../src/main/bridge/resumable-stream.ts';

const MIB = 1024 * 1024;

/** A connection that keeps what it is given until it is told whether that left. */
function connection(): { stream: EventStream; given: string[]; tell: (written: boolean) => void } {
  const given: string[] = [];
  let told: (((written: boolean) => void) | undefined)[] = [];
  return {
    given,
    stream: {
      write(text, done) {
        given.push(text);
        told.push(done);
      },
      end: () => undefined,
    },
    tell(written) {
      const all = told;
      told = [];
      for (const done of all) done?.(written);
    },
  };
}

test('what nobody fetches is remembered by its size: the newest event and a few MB before it', () => {
  let dropped = 0;
  const stream = createResumableStream('main', () => dropped++);
  const reports: [number, boolean][] = [];
  for (let n = 0; n < 100; n++) {
    stream.write('x'.repeat(MIB), (written) => reports.push([n, written]));
    expect(stream.length).toBeLessThanOrEqual(5 * MIB);
  }
  expect(dropped).toBe(95);
  expect(reports).toEqual(Array.from({ length: 95 }, (_, n) => [n, false]));
  stream.write('y'.repeat(20 * MIB));
  const { stream: to, given } = connection();
  stream.carry(to);
  expect(given.map((text) => text.length / MIB)).toEqual([1, 1, 1, 1, 20]);
});

test('what a connection holds is reported by that connection, also once it is not remembered any more', () => {
  const stream = createResumableStream('main', () => undefined);
  const to = connection();
  stream.carry(to.stream);
  const reports: boolean[] = [];
  stream.write('a'.repeat(MIB), (written) => reports.push(written));
  stream.write('b'.repeat(5 * MIB));
  stream.write('c');
  expect(stream.length).toBe(1);
  expect(reports).toEqual([]);
  to.tell(true);
  expect(reports).toEqual([true]);
  stream.write('d'.repeat(MIB), (written) => reports.push(written));
  stream.write('e'.repeat(5 * MIB));
  stream.write('f');
  to.tell(false);
  expect(reports).toEqual([true, false]);
});
