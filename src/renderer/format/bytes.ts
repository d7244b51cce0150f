const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
const STEP = 1_000;

/** A size for people: `640 byte`, `12.3 kB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < STEP ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(undefined, { style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay: 'short', maximumFractionDigits: power === 0 ? 0 : 1 }).format(bytes / STEP ** power);
}
