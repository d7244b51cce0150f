import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PassingMap } from '../../../src/main/bridge/passing.ts';

test('an entry is lost or out of order after the table was renewed', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), isDelete: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1_000, maxLength: 2_000 }), (steps) => {
      const passing = new PassingMap<number, number>();
      const plain = new Map<number, number>();
      for (const [index, { key, isDelete }] of steps.entries()) {
        if (isDelete) expect(passing.delete(key)).toBe(plain.delete(key));
        else {
          passing.set(key, index);
          plain.set(key, index);
        }
      }
      expect([...passing.keys()]).toEqual([...plain.keys()]);
      expect([...passing.values()]).toEqual([...plain.values()]);
      expect(passing.size).toBe(plain.size);
    }),
    { numRuns: 50 },
  );
});
