import type { PaymentFilter, PaymentStatus } from '../../../shared/contract/payments.ts';
import { PaymentStatus as Statuses } from '../../../shared/contract/payments.ts';

/** What stands in the fields; empty where nothing is asked. Dates are days (`2026-01-31`) of the reader's own clock. */
export interface FilterDraft {
  readonly text: string;
  readonly status: string;
  readonly upstream: string;
  readonly tool: string;
  readonly network: string;
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: FilterDraft = { text: '', status: '', upstream: '', tool: '', network: '', from: '', to: '' };

/** Fields that are set, without the search. */
export const countOf = ({ text: _text, ...rest }: FilterDraft): number => Object.values(rest).filter((value) => value !== '').length;

/** The filter that fields mean. The last day counts whole; a date that is none asks nothing. */
export function filterOf({ text, status, upstream, tool, network, from, to }: FilterDraft): PaymentFilter {
  const [begin, end] = [dayStart(from, 0), dayStart(to, 1)];
  return {
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(isStatus(status) && { statuses: [status] }),
    ...(upstream !== '' && { upstream }),
    ...(tool !== '' && { tool }),
    ...(network !== '' && { network }),
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { to: end }),
  };
}

const isStatus = (value: string): value is PaymentStatus => Statuses.options.some((status) => status === value);

/** The first instant of a local day, or of one that follows it. */
function dayStart(day: string, daysLater: number): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  const at = new Date(Number(year), Number(month) - 1, Number(date) + daysLater).getTime();
  return Number.isNaN(at) || at < 0 ? undefined : at;
}
