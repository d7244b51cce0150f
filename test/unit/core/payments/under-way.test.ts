import { expect, test } from 'vitest';
import { underWay } from '../../../../src/core/payments/under-way.ts';

const row = (decision: 'approved' | 'waiting', money: 'none' | 'reserved' | 'outstanding' | 'settled' | 'dead', service: 'open' | 'delivered' | 'lost') => ({ decision, money, service });

test('Bursar ends in the middle of a paid call, or waits for what is over', () => {
  expect(underWay([])).toEqual({ answering: 0, unsettled: 0 });
  expect(underWay([row('approved', 'reserved', 'open')])).toEqual({ answering: 1, unsettled: 1 });
  expect(underWay([row('approved', 'settled', 'open')])).toEqual({ answering: 1, unsettled: 0 });
  expect(underWay([row('approved', 'outstanding', 'delivered'), row('approved', 'outstanding', 'lost')])).toEqual({ answering: 0, unsettled: 2 });
  // Settled and not final, failed, or not decided: the end costs nothing.
  expect(underWay([row('approved', 'settled', 'delivered'), row('approved', 'dead', 'open'), row('waiting', 'reserved', 'open')])).toEqual({ answering: 0, unsettled: 0 });
});
