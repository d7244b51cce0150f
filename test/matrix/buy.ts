import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentView } from '../../src/shared/contract/payments.ts';
import { isBursarError } from '../../src/shared/errors/errors.ts';
import type { Cell } from './cells.ts';
import type { Holdings, House } from './house.ts';

/** What became of a cell. `wrong` says why it is not as designed; empty where it is. */
export interface Outcome {
  readonly cell: Cell;
  readonly wrong: string;
  readonly ms: number;
}

const ANSWERED_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 15_000;

/** Buys one cell and compares everything that can be compared: the answer, the journal's row, and all holdings before and after. */
export async function buyCell(house: House, cell: Cell, apis: Readonly<Record<string, string>>): Promise<Outcome> {
  const begun = performance.now();
  const outcome = (wrong: string): Outcome => ({ cell, wrong, ms: performance.now() - begun });
  try {
    const before = await house.holdings();
    const known = await newest(house);
    const asking = cell.asks ? house.approvals.decide('approve') : undefined;
    const answer = await within(ANSWERED_WITHIN_MS, ask(house, cell, apis));
    await asking;
    const row = await settledRow(house, known?.id);
    if (cell.expect === 'refused') return outcome(refusalFault(cell, answer, row, moved(before, await house.holdings())));
    if (!answer.served) return outcome(`not served: ${answer.text.slice(0, 300)}`);
    if (!row) return outcome('no row in the journal');
    if (row.dialect !== cell.dialect) return outcome(`booked as ${row.dialect}`);
    if (row.status !== 'delivered') return outcome(`the row is ${row.status}: ${row.reason}`);
    return outcome(await moneyFault(house, before, cell));
  } catch (error) {
    return outcome(error instanceof Error ? error.message : String(error));
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface Answer {
  readonly served: boolean;
  readonly text: string;
}

async function ask(house: House, cell: Cell, apis: Readonly<Record<string, string>>): Promise<Answer> {
  const rail = cell.pays === 'svm' ? 'svm' : 'evm';
  if (cell.over === 'api') {
    const { network } = cell.pays === 'svm' ? house.sandbox.solana : house.sandbox.evm;
    const base = cell.seller === 'own' ? house.sandbox.seller.apiUrl : (apis[cell.seller] ?? '');
    const path = (cell.path ?? '').replace('{rail}', rail).replace('{networks}', encodeURIComponent(network));
    try {
      const { status, body } = await house.owner.request('payments.buy', { url: `${base}${path}` });
      return { served: status === 200, text: `HTTP ${status} ${body}` };
    } catch (error) {
      if (isBursarError(error)) return { served: false, text: `${error.message} (${error.code})` };
      throw error;
    }
  }
  const agent = await house.agent(`${cell.seller}-${cell.over}-${rail}`, cell.over);
  const { result, error } = await agent.call((cell.tool ?? '').replace('{rail}', rail), cell.arguments);
  const text = result?.content.map((block) => block.text).join('\n') ?? error?.message ?? '';
  return { served: result !== undefined && result.isError !== true && text !== '', text };
}

const newest = async ({ owner }: House): Promise<PaymentView | undefined> => (await owner.request('payments.list', { limit: 1 })).payments[0];

/** The row of this purchase, once it has its end or the time for that is over. */
async function settledRow(house: House, before: string | undefined): Promise<PaymentView | undefined> {
  for (const deadline = performance.now() + SETTLED_WITHIN_MS; ; await delay(50)) {
    const row = await newest(house);
    const fresh = row?.id === before ? undefined : row;
    const open = fresh !== undefined && ['waiting', 'approved', 'paying', 'confirming', 'unknown'].includes(fresh.status);
    if (!open || performance.now() > deadline) return fresh;
  }
}

/** Differences of all holdings. */
interface Moves {
  readonly evmPayer: bigint;
  readonly evmPayee: bigint;
  readonly svmPayer: bigint;
  readonly svmPayee: bigint;
  readonly cents: bigint;
}

const moved = (before: Holdings, after: Holdings): Moves => ({
  evmPayer: after.evm.payer - before.evm.payer,
  evmPayee: after.evm.payee - before.evm.payee,
  svmPayer: after.svm.payer - before.svm.payer,
  svmPayee: after.svm.payee - before.svm.payee,
  cents: after.cents - before.cents,
});

function designed({ pays, units, expect }: Cell): Moves {
  const amount = expect === 'paid' ? BigInt(units) : 0n;
  const on = (chain: Cell['pays']) => (pays === chain ? amount : 0n);
  return { evmPayer: -on('evm'), evmPayee: on('evm'), svmPayer: -on('svm'), svmPayee: on('svm'), cents: on('card') };
}

const difference = (found: Moves, wanted: Moves): string =>
  (Object.keys(wanted) as (keyof Moves)[])
    .filter((key) => found[key] !== wanted[key])
    .map((key) => `${key} moved by ${found[key]} and not by ${wanted[key]}`)
    .join(', ');

/** A chain may show a settlement a moment after the seller's word. */
async function moneyFault(house: House, before: Holdings, cell: Cell): Promise<string> {
  for (const deadline = performance.now() + SETTLED_WITHIN_MS; ; await delay(50)) {
    const fault = difference(moved(before, await house.holdings()), designed(cell));
    if (fault === '' || performance.now() > deadline) return fault;
  }
}

function refusalFault(cell: Cell, answer: Answer, row: PaymentView | undefined, moves: Moves): string {
  const money = difference(moves, designed(cell));
  if (money !== '') return money;
  if (answer.served) return 'served without payment';
  const code = row?.reasonCode ?? '';
  return answer.text.includes(`(${cell.code})`) || code === cell.code ? '' : `refused otherwise: ${answer.text.slice(0, 300)} [${code}]`;
}
