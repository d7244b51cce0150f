import { once } from 'node:events';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { PaymentStatus, type PaymentView } from '../../shared/contract/payments.ts';
import type { Connection } from './connection.ts';
import { CSV_HEADER, csvPayment } from '../../shared/export/payments-csv.ts';
import { historyLines } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface HistoryOptions {
  readonly limit?: number;
  readonly all?: boolean;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly server?: string;
  readonly state?: PaymentStatus;
  readonly csv?: boolean;
  readonly json?: boolean;
}

const USUAL_LIMIT = 50;
/** As many as one request gives. */
const PAGE = 500;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `bursar history`. */
export function addHistoryCommand(program: Command, { withConnection, print }: CommandTools): void {
  program
    .command('history')
    .description('payments, newest first')
    .option('--limit <number>', `how many at most (${USUAL_LIMIT} without it; with --csv all)`, count)
    .addOption(new Option('--all', 'all of them').conflicts('limit'))
    .option('--since <when>', 'only those that began then or later: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 24h, 7d ago', since)
    .option('--server <name>', 'only those of this server, or host of a paid HTTP API')
    .addOption(new Option('--state <state>', 'only those that stand so').choices(PaymentStatus.options))
    .option(...JSON_OPTION)
    .addOption(new Option('--csv', 'print a table for spreadsheets (RFC 4180): amounts as decimals and in base units, formulas defused').conflicts('json'))
    .action((options: HistoryOptions) =>
      withConnection(async (connection) => {
        if (options.csv) return writeCsv(connection, options);
        const payments: PaymentView[] = [];
        let more = false;
        const most = options.all ? Infinity : (options.limit ?? USUAL_LIMIT);
        for await (const payment of matching(connection, options)) {
          more = payments.length === most;
          if (more) break;
          payments.push(payment);
        }
        print(options.json, { payments, more }, () => [...historyLines(payments), ...(more ? [`These are the newest ${payments.length}; --all shows every one.`] : [])]);
      }),
    );
}

/** What fits, newest first, page by page, so that a long ledger is never held as a whole. */
async function* matching({ request }: Connection, { since: from = 0, server, state, limit }: HistoryOptions): AsyncGenerator<PaymentView> {
  const isFiltered = server !== undefined || state !== undefined;
  const size = isFiltered || limit === undefined ? PAGE : Math.min(PAGE, limit + 1);
  let before: string | undefined;
  for (;;) {
    const { payments, more } = await request('payments.list', { limit: size, ...(before !== undefined && { before }) });
    for (const payment of payments) {
      // Ordered by when they began, so no later page has a younger one.
      if (payment.createdAt < from) return;
      if ((server === undefined || payment.upstream === server) && (state === undefined || payment.status === state)) yield payment;
    }
    before = payments.at(-1)?.id;
    if (!more || before === undefined) return;
  }
}

async function writeCsv(connection: Connection, options: HistoryOptions): Promise<void> {
  const { stdout } = process;
  stdout.write(CSV_HEADER);
  let left = options.limit ?? Infinity;
  for await (const payment of matching(connection, options)) {
    if (left-- <= 0 || !stdout.writable) return;
    if (!stdout.write(csvPayment(payment))) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
  }
}

function count(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 1_000_000) throw new InvalidArgumentError('It has to be a number from 1 to 1000000.');
  return number;
}

/** A date, a time with its zone, or how long ago. A date alone is midnight in the zone of this machine. */
function since(value: string): number {
  const ago = /^(\d{1,6})([mhd])$/.exec(value);
  if (ago) return Date.now() - Number(ago[1]) * UNIT_MS[ago[2] as keyof typeof UNIT_MS];
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/.test(value);
  const at = isDate || isTime ? Date.parse(isDate ? `${value}T00:00` : value) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('It has to be a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (30m, 24h, 7d).');
  return at;
}
