import type { Payment } from '../../../core/payments/payment.ts';
import { paymentStatus } from '../../../core/payments/status.ts';
import { Decision, MoneyState, Service, type PaymentFilter, type PaymentStatus } from '../../../shared/contract/payments.ts';

type Columns = Pick<Payment, 'decision' | 'money' | 'service'>;

/** Every state that a row can be in, with its status: what a status is called is said in one place alone. */
const STATES: readonly (Columns & { readonly status: PaymentStatus })[] = Decision.options.flatMap((decision) =>
  MoneyState.options.flatMap((money) => Service.options.map((service) => ({ decision, money, service, status: paymentStatus({ decision, money, service }) }))),
);

/** A filter as the condition of a statement, over columns that the index `payments_history` holds, with what is bound to it. */
export interface Condition {
  readonly sql: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** What a filter asks of a row of `payments`, called `p`. Texts are compared as they stand: a `%` in one is a percent sign. */
export function conditionOf({ statuses, upstream, tool, network, from, to, text }: PaymentFilter): Condition {
  const parts: string[] = [];
  const values: Record<string, string | number> = {};
  const equal = (column: string, value: string | undefined): void => {
    if (value === undefined) return;
    parts.push(`p.${column} = @${column}`);
    values[column] = value;
  };
  if (statuses !== undefined) parts.push(`(p.decision, p.money, p.service) IN (VALUES ${statesOf(statuses)})`);
  equal('upstream', upstream);
  equal('tool', tool);
  equal('network', network);
  if (from !== undefined) {
    parts.push('p.created_at >= @from');
    values['from'] = from;
  }
  if (to !== undefined) {
    parts.push('p.created_at < @to');
    values['to'] = to;
  }
  if (text !== undefined && text !== '') {
    parts.push(`(${SEARCHED.map((column) => `p.${column} LIKE @text ESCAPE '\\'`).join(' OR ')})`);
    values['text'] = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  }
  return { sql: parts.length === 0 ? '1' : parts.join(' AND '), values };
}

const SEARCHED = ['upstream', 'tool', 'client', 'payee', 'transaction_id', 'id'] as const;

/** Words of the schema alone, so that they may stand in the statement. No status is no row. */
const statesOf = (statuses: readonly PaymentStatus[]): string => {
  const states = STATES.filter(({ status }) => statuses.includes(status)).map(({ decision, money, service }) => `('${decision}','${money}','${service}')`);
  return states.length === 0 ? "('','','')" : states.join(',');
};
