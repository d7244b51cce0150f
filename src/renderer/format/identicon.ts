import { bloImage } from 'blo';

/** A picture of 8 by 8 squares: its three colours, and the squares of two of them as SVG path data; the first fills what is left. */
export interface IdenticonShape {
  readonly colours: readonly [background: string, main: string, spot: string];
  readonly paths: readonly [main: string, spot: string];
}

const HALF = 4;

/**
 * The picture of an address of any chain: on EVM the one that explorers and wallets draw for it. It helps to tell addresses apart and proves
 * nothing, so that an address always stands beside it in full.
 */
export function identicon(address: string): IdenticonShape {
  const [squares, palette] = bloImage(`0x${address.replace(/^0x/, '')}`);
  const paths: [string, string] = ['', ''];
  squares.forEach((kind, index) => {
    if (kind !== 1 && kind !== 2) return;
    const [x, y] = [index % HALF, Math.floor(index / HALF)];
    paths[kind - 1] += `M${x} ${y}h1v1h-1zM${2 * HALF - 1 - x} ${y}h1v1h-1z`;
  });
  const [background, main, spot] = palette.map(([hue, saturation, lightness]) => `hsl(${hue} ${saturation}% ${lightness}%)`);
  return { colours: [background ?? '', main ?? '', spot ?? ''], paths };
}
