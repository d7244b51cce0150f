import type { Outcome } from './buy.ts';

/** The matrix in numbers. */
export interface MatrixReport {
  readonly cells: number;
  readonly paid: number;
  readonly refusedAsDesigned: number;
  readonly failed: number;
}

export const matrixReport = (outcomes: readonly Outcome[]): MatrixReport => {
  const right = outcomes.filter(({ wrong }) => wrong === '');
  const paid = right.filter(({ cell }) => cell.expect === 'paid').length;
  return { cells: outcomes.length, paid, refusedAsDesigned: right.length - paid, failed: outcomes.length - right.length };
};

/** A cell as one line of the table. */
export function tableLine({ cell, wrong, ms }: Outcome): string {
  const verdict = wrong === '' ? (cell.expect === 'paid' ? 'paid' : 'refused as designed') : 'FAILED';
  const columns = [cell.seller.padEnd(11), cell.sells.padEnd(29), cell.rail.padEnd(21), cell.over.padEnd(6), `${Math.round(ms)} ms`.padStart(8), ` ${verdict}`];
  return `${columns.join(' ')}${wrong === '' ? '' : `\n         ${wrong}`}`;
}
