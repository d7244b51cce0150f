import type { PaymentView } from '../contract/payments.ts';
import { formatUnits } from '../money/money.ts';

/** What a spreadsheet would run as a formula (OWASP, CSV Injection), also after white space that it skips and in its full-width forms. */
const FORMULA = /^[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;

/** One cell: a formula is defused by an apostrophe in front, which a spreadsheet takes for "text". */
function cell(text: string): string {
  const defused = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

/** A record as RFC 4180 writes it. */
export const csvRecord = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

const iso = (at: number): string => new Date(at).toISOString();

const COLUMNS = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => iso(createdAt),
  updated_at: ({ updatedAt }) => iso(updatedAt),
  status: ({ status }) => status,
  decision: ({ columns }) => columns.decision,
  money: ({ columns }) => columns.money,
  service: ({ columns }) => columns.service,
  client: ({ client }) => client,
  server: ({ upstream }) => upstream,
  tool: ({ tool }) => tool,
  amount: ({ money }) => (money ? formatUnits(BigInt(money.units), money.asset.decimals) : ''),
  symbol: ({ money }) => money?.asset.symbol ?? '',
  base_units: ({ money }) => money?.units ?? '',
  decimals: ({ money }) => (money ? String(money.asset.decimals) : ''),
  network: ({ money }) => money?.asset.network ?? '',
  token: ({ money }) => money?.asset.address ?? '',
  payee: ({ payee }) => payee,
  payer: ({ payer }) => payer,
  dialect: ({ dialect }) => dialect,
  scheme: ({ scheme }) => scheme,
  flow: ({ flow = '' }) => flow,
  transaction: ({ transaction }) => transaction,
  reason_code: ({ reasonCode }) => reasonCode,
  reason: ({ reason }) => reason,
  rule: ({ rule }) => rule,
  /** Of what was sent without a server's asking. */
  recipient: ({ order }) => order?.recipient ?? '',
  memo: ({ order }) => order?.memo ?? '',
} as const satisfies Record<string, (payment: PaymentView) => string>;

/** Names of the columns, in their order. New ones come last. */
export const CSV_HEADER = csvRecord(Object.keys(COLUMNS));

/** One payment. */
export const csvPayment = (payment: PaymentView): string => csvRecord(Object.values(COLUMNS).map((read) => read(payment)));
