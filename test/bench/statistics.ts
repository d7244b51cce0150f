/** Middle of the values; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? Number.NaN)) / 2;
}

/** The value that a share of the values do not exceed (nearest rank); `share` 0.95 is the 95th percentile. */
export const percentile = (values: readonly number[], share: number): number => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

/** How long `work` takes, in milliseconds. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;
