import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupAddress } from '../../../../src/renderer/format/address.ts';

test('groups an EVM address in fours after its prefix', () => {
  expect(groupAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')).toEqual(['0x', '7099', '7970', 'C518', '12dc', '3A01', '0C7d', '01b5', '0e0d', '17dc', '79C8']);
});

test('leaves out no character of any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => groupAddress(text).join('') === text));
});

test('spells what is no address of a chain otherwise', () => {
  for (const id of ['pm_card_visa', 'acct_sandbox', 'usd', 'pm_1Q2w3E4r5T6y7U8i9OpAsDfGhJkLzXcV']) expect(groupAddress(id)).toEqual([id]);
});

test('keeps groups at four characters, the last one may be shorter', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/), (address) => {
      const groups = groupAddress(address);
      return groups.slice(0, -1).every((group) => group.length === 4) && (groups.at(-1)?.length ?? 0) > 0;
    }),
  );
});
