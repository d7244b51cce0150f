/** Figures of at most so many digits are added up by SQLite: nine million of the largest still fit its integers. */
const SMALL_DIGITS = 12;

/** Columns `<name>_small` and `<name>_large` that {@link exactSum} reads. A null counts nothing. */
export const exactSumColumns = (column: string, name: string, where = '1'): string =>
  `CAST(coalesce(sum(CAST(${column} AS INTEGER)) FILTER (WHERE length(${column}) <= ${SMALL_DIGITS} AND ${where}), 0) AS TEXT) AS ${name}_small,
   json_group_array(${column}) FILTER (WHERE length(${column}) > ${SMALL_DIGITS} AND ${where}) AS ${name}_large`;

/** The sum of base units of any length, which SQLite's integers could not hold. */
export function exactSum(row: Readonly<Record<string, unknown>>, name: string): bigint {
  const large = JSON.parse(String(row[`${name}_large`])) as readonly string[];
  return large.reduce((sum, units) => sum + BigInt(units), BigInt(String(row[`${name}_small`])));
}
