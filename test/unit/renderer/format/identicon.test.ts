import { bloSvg } from 'blo';
import { expect, test } from 'vitest';
import { identicon } from '../../../../src/renderer/format/identicon.ts';
import { formatBytes } from '../../../../src/renderer/format/bytes.ts';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

test('an EVM address has another picture than in other wallets', () => {
  const { colours, paths } = identicon(ADDRESS);
  const fills = [...bloSvg(ADDRESS).matchAll(/fill="([^"]+)"/g)].map(([, fill]) => fill);
  expect(colours).toEqual(fills);
  const squares = (path: string) => [...path.matchAll(/M(\d)[ ,](\d)/g)].map(([, x, y]) => `${x} ${y}`);
  const drawn = [...bloSvg(ADDRESS).matchAll(/ d="([^"]+)"/g)].slice(1).map(([, path]) => squares(path ?? ''));
  expect(paths.map(squares)).toEqual(drawn);
});

test('the picture changes with the case of an EVM address, or is the same for other addresses', () => {
  expect(identicon(ADDRESS.toLowerCase())).toEqual(identicon(ADDRESS));
  expect(identicon('7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU')).not.toEqual(identicon('7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsV'));
});

test('a size is a thousand times too large', () => {
  expect([999, 1_000, 12_345_678].map(formatBytes)).toEqual(['999 byte', '1 kB', '12.3 MB']);
});
