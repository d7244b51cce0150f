/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Most cells of the comparison table; beyond it the changed middle is shown as replaced. */
const MOST_CELLS = 4_000_000;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));
const lines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind, text }));

/** Compares two texts line by line by their longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [
    ...lines('same', a.slice(0, head)),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...lines('same', a.slice(a.length - tail)),
  ];
}

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MOST_CELLS) return [...lines('removed', a), ...lines('added', b)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const result: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [before, after] = [a[i], b[j]];
    if (before !== undefined && before === after) {
      result.push({ kind: 'same', text: before });
      i++;
      j++;
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      result.push({ kind: 'removed', text: before });
      i++;
    } else if (after !== undefined) {
      result.push({ kind: 'added', text: after });
      j++;
    }
  }
  return result;
}

/** A run of lines; a long unchanged one is folded. */
export type DiffPart = { readonly kind: 'lines'; readonly lines: readonly DiffLine[] } | { readonly kind: 'folded'; readonly count: number };

/** Folds unchanged lines that are farther than `around` lines from a change. */
export function foldSame(all: readonly DiffLine[], around = 3): DiffPart[] {
  const near = all.map((_, index) => all.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== 'same'));
  const parts: DiffPart[] = [];
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && near[end] === near[start]) end++;
    parts.push(near[start] ? { kind: 'lines', lines: all.slice(start, end) } : { kind: 'folded', count: end - start });
    start = end;
  }
  return parts;
}
