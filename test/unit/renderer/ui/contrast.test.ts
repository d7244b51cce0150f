import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const source = await readFile(new URL('../../../../src/renderer/ui/tokens.css', import.meta.url), 'utf8');
const tokens = new Map([...source.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [name!, { light: light!, dark: dark! }]));

/** Relative luminance (WCAG 2.2, "relative luminance"). */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

const TEXT_PAIRS: [string, string][] = [
  ...['canvas', 'surface', 'inset'].flatMap((ground): [string, string][] => [
    ['ink', ground],
    ['muted', ground],
    ['accent', ground],
    ['warn', ground],
    ['danger', ground],
    ['ok', ground],
  ]),
  ['accent', 'accent-soft'],
  ['ink', 'accent-soft'],
  ['ok', 'ok-soft'],
  ['warn', 'warn-soft'],
  ['danger', 'danger-soft'],
  ['play', 'play-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
];

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  test.each(TEXT_PAIRS)('text in %s on %s can be read', (text, ground) => {
    expect(contrast(tokens.get(text)![theme], tokens.get(ground)![theme])).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['canvas', 'surface', 'inset'])('a border of a control on %s can be seen', (ground) => {
    expect(contrast(tokens.get('control')![theme], tokens.get(ground)![theme])).toBeGreaterThanOrEqual(3);
  });

  test.each([1, 2, 3, 4, 5])('part %i of a chart can be seen', (part) => {
    expect(contrast(tokens.get(`chart-${part}`)![theme], tokens.get('surface')![theme])).toBeGreaterThanOrEqual(3);
  });
});
