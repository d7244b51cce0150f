import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../../src/main/bridge/http-exchange.ts';
import { byteLineSplitter } from '../../../src/main/bridge/lines.ts';
import { gatherBytes, gatherText } from '../../../src/main/gather.ts';

test('pieces are lost, doubled or out of order, or many small ones stay many', () => {
  fc.assert(fc.property(fc.array(fc.string({ maxLength: 700 })), (pieces) => {
    const texts: string[] = [];
    const bytes: Buffer[] = [];
    for (const piece of pieces) {
      gatherText(texts, piece);
      gatherBytes(bytes, Buffer.from(piece));
    }
    expect(texts.join('')).toBe(pieces.join(''));
    expect(Buffer.concat(bytes).toString()).toBe(pieces.join(''));
  }));
  const held: string[] = [];
  for (let i = 0; i < 100_000; i++) gatherText(held, 'x');
  expect(held.length).toBeLessThan(300);
});

test('a large piece is copied', () => {
  const held: Buffer[] = [];
  const large = Buffer.alloc(65_536);
  gatherBytes(held, Buffer.alloc(1));
  gatherBytes(held, large);
  expect(held[1]).toBe(large);
});

/** Single bytes as a socket gives them: each a view of the buffer that it was read into. */
function* singleBytes(count: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.allocUnsafeSlow(16_384).fill('x', 0, 1).subarray(0, 1);
}
const COUNT = 20_000;
/** All of those buffers are 320 MB. */
const MOST_BYTES = 80_000_000;

/** Bytes of all buffers that something still holds. */
function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // The second one waits until the buffers that the first one found are given back.
  collect();
  return process.memoryUsage().arrayBuffers;
}

describe('a sender of single bytes fills the memory with what they were read into', () => {
  test('in a body', async () => {
    const before = bytesHeld();
    let held = 0;
    function* lastOne(): Generator<Buffer> {
      yield* singleBytes(COUNT - 1);
      held = bytesHeld() - before;
      yield Buffer.from('x');
    }
    expect(await readBody(Readable.from(lastOne(), { objectMode: true }), COUNT)).toHaveLength(COUNT);
    expect(held).toBeLessThan(MOST_BYTES);
  });

  test('in a line', () => {
    const before = bytesHeld();
    const lines: Buffer[] = [];
    const split = byteLineSplitter(COUNT, { onLine: (line) => lines.push(line), onTooLong: () => undefined });
    for (const byte of singleBytes(COUNT)) split(byte);
    expect(bytesHeld() - before).toBeLessThan(MOST_BYTES);
    split(Buffer.from('\n'));
    expect(lines.map(({ length }) => length)).toEqual([COUNT]);
  });
});
