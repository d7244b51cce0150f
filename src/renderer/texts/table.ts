/** Tables and charts of every page. */
export const tableTexts = {
  sortBy: (column: string) => `Sort by ${column.toLowerCase()}`,
  chartMissing: 'The chart could not be loaded. The figures are in the table.',
} as const;
