import type { PaymentFilter } from '../../../shared/contract/payments.ts';
import { CSV_HEADER, csvPayment } from '../../../shared/export/payments-csv.ts';
import type { Link } from '../../client/link.ts';
import { read } from '../server-state.tsx';

export type ExportForm = 'csv' | 'json';

/** Rows of one request: the most that main gives. */
const AT_ONCE = 500;

/** Every payment of a filter as the parts of a file. Later payments are left out: all pages name the newest of the first. Throws what a request is refused with. */
export async function exportPayments(link: Link, filter: PaymentFilter, form: ExportForm, { progress, signal }: { readonly progress: (done: number, all: number) => void; readonly signal: AbortSignal }): Promise<{ readonly parts: readonly string[]; readonly count: number }> {
  const parts: string[] = [form === 'csv' ? CSV_HEADER : '{"payments":['];
  let done = 0;
  let newest: number | undefined;
  for (;;) {
    const found = await read(link, 'payments.find', { filter, offset: done, limit: AT_ONCE, ...(newest !== undefined && { newest }) });
    signal.throwIfAborted();
    newest = found.newest;
    if (form === 'csv') parts.push(found.payments.map(csvPayment).join(''));
    else if (found.payments.length > 0) parts.push(`${done === 0 ? '\n' : ',\n'}${found.payments.map((payment) => JSON.stringify(payment)).join(',\n')}`);
    done += found.payments.length;
    progress(done, found.count);
    if (found.payments.length < AT_ONCE) break;
  }
  if (form === 'json') parts.push('\n]}\n');
  return { parts, count: done };
}
