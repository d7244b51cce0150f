import type { Payment } from './payment.ts';

/** Payments that the end of the application would come between. */
export interface UnderWay {
  /** Approved, and the call that is paid for is not answered yet. */
  readonly answering: number;
  /** Signed, or about to be, and neither settled nor dead. */
  readonly unsettled: number;
}

/** Counts what is under way among rows that are not at rest. */
export function underWay(rows: readonly Pick<Payment, 'decision' | 'money' | 'service'>[]): UnderWay {
  const approved = rows.filter(({ decision }) => decision === 'approved');
  return {
    answering: approved.filter(({ service, money }) => service === 'open' && money !== 'none' && money !== 'dead').length,
    unsettled: approved.filter(({ money }) => money === 'reserved' || money === 'outstanding').length,
  };
}
