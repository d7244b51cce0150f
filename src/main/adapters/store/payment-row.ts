import type { Change, NewPayment, Payment } from '../../../core/payments/payment.ts';
import type { Flow, Terms } from '../../../core/payments/terms.ts';
import type { Track } from '../../../core/ports.ts';
import type { NetworkId } from '../../../core/registry/networks.ts';
import type { ErrorCode } from '../../../shared/errors/codes.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { parseBaseUnits } from '../../../shared/money/money.ts';

/** A row of `payments` as SQLite gives it. The nullable columns of the terms are all null or all set. */
export interface PaymentRow {
  readonly seq: number;
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly call_key: string;
  readonly arguments_text: string;
  readonly dialect: string;
  readonly challenge_text: string;
  readonly arguments_hash: string | null;
  readonly scheme: string | null;
  readonly network: NetworkId | null;
  readonly asset: string | null;
  readonly amount: string | null;
  readonly payee: string | null;
  readonly payer: string | null;
  readonly flow: Flow | null;
  readonly memo: string | null;
  readonly terms_digest: string;
  readonly offer_text: string;
  readonly decision: Payment['decision'];
  readonly money: Payment['money'];
  readonly service: Payment['service'];
  readonly reason_code: ErrorCode | '';
  readonly reason_text: string;
  readonly rule: string;
  readonly policy_number: number;
  readonly proof_text: string;
  readonly track: string | null;
  readonly outstanding_until: number | null;
  readonly transaction_id: string;
  readonly final: 0 | 1;
  readonly receipt_text: string;
  readonly answer_text: string;
  readonly offers_text: string;
}

/** What may be bound to a statement. */
export type Columns = Record<string, string | number | null>;

/** The payment of a row. */
export function paymentOfRow(row: PaymentRow): Payment {
  const terms = termsOfRow(row);
  return {
    id: row.id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    client: row.client,
    upstream: row.upstream,
    tool: row.tool,
    callKey: row.call_key,
    argumentsText: row.arguments_text,
    dialect: row.dialect,
    challengeText: row.challenge_text,
    ...(terms && { terms }),
    termsDigest: row.terms_digest,
    offerText: row.offer_text,
    offersText: row.offers_text,
    decision: row.decision,
    money: row.money,
    service: row.service,
    reason: { code: row.reason_code, text: row.reason_text },
    rule: row.rule,
    policyNumber: row.policy_number,
    proofText: row.proof_text,
    ...(row.track !== null && { track: parseTrack(row.track) }),
    ...(row.outstanding_until !== null && { outstandingUntil: row.outstanding_until }),
    transaction: row.transaction_id,
    final: row.final === 1,
    receiptText: row.receipt_text,
    answerText: row.answer_text,
  };
}

const parseTrack = (text: string): Track => JSON.parse(text);

function termsOfRow(row: PaymentRow): Terms | undefined {
  if (row.scheme === null) return undefined;
  return {
    client: row.client,
    upstream: row.upstream,
    tool: row.tool,
    argumentsHash: row.arguments_hash!,
    dialect: row.dialect,
    scheme: row.scheme,
    network: row.network!,
    asset: row.asset!,
    amount: parseBaseUnits(row.amount!),
    payee: row.payee!,
    payer: row.payer!,
    flow: row.flow!,
    ...(row.memo !== null && { memo: row.memo }),
  };
}

/** Columns of a new row. Throws `INTERNAL` when its terms are of another call than the row: the columns are stored once for both. */
export function columnsOfNew(payment: NewPayment, at: number): Columns {
  const { terms } = payment;
  for (const shared of ['client', 'upstream', 'tool', 'dialect'] as const) {
    if (terms && terms[shared] !== payment[shared]) {
      throw new BursarError('INTERNAL', `The terms of payment ${payment.id} name another ${shared} than the payment.`, { context: { payment: payment.id } });
    }
  }
  return {
    id: payment.id,
    created_at: at,
    updated_at: at,
    client: payment.client,
    upstream: payment.upstream,
    tool: payment.tool,
    call_key: payment.callKey,
    arguments_text: payment.argumentsText,
    dialect: payment.dialect,
    challenge_text: payment.challengeText,
    arguments_hash: terms?.argumentsHash ?? null,
    scheme: terms?.scheme ?? null,
    network: terms?.network ?? null,
    asset: terms?.asset ?? null,
    amount: terms ? terms.amount.toString() : null,
    payee: terms?.payee ?? null,
    payer: terms?.payer ?? null,
    flow: terms?.flow ?? null,
    memo: terms?.memo ?? null,
    terms_digest: payment.termsDigest,
    offer_text: payment.offerText,
    offers_text: payment.offersText,
    decision: payment.decision,
    money: payment.money,
    service: payment.service,
    reason_code: payment.reason.code,
    reason_text: payment.reason.text,
    rule: payment.rule,
    policy_number: payment.policyNumber,
  };
}

/** The columns of each member that a change may have, with the values of the payment after it. */
const CHANGEABLE: Readonly<Record<keyof Change, (after: Payment) => Columns>> = {
  challengeText: ({ challengeText }) => ({ challenge_text: challengeText }),
  offerText: ({ offerText }) => ({ offer_text: offerText }),
  decision: ({ decision }) => ({ decision }),
  money: ({ money }) => ({ money }),
  service: ({ service }) => ({ service }),
  reason: ({ reason }) => ({ reason_code: reason.code, reason_text: reason.text }),
  rule: ({ rule }) => ({ rule }),
  proofText: ({ proofText }) => ({ proof_text: proofText }),
  track: ({ track }) => ({ track: track ? JSON.stringify(track) : null }),
  outstandingUntil: ({ outstandingUntil }) => ({ outstanding_until: outstandingUntil ?? null }),
  transaction: ({ transaction }) => ({ transaction_id: transaction }),
  final: ({ final }) => ({ final: final ? 1 : 0 }),
  receiptText: ({ receiptText }) => ({ receipt_text: receiptText }),
  answerText: ({ answerText }) => ({ answer_text: answerText }),
};
const MEMBERS = Object.keys(CHANGEABLE) as readonly (keyof Change)[];

/** The columns that a change sets, and no more: SQLite writes every index of a column that is set, also to what it was. */
export function changedColumns(change: Change, after: Payment): Columns {
  return Object.assign({ updated_at: after.updatedAt }, ...MEMBERS.map((member) => (member in change ? CHANGEABLE[member](after) : undefined))) as Columns;
}
