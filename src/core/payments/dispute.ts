import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { DisputePacket, TimelineEntry } from '../../shared/contract/payments.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { maskBehindWords, maskSecrets } from './mask-secrets.ts';
import { paymentStatus } from './status.ts';
import type { Payment } from './payment.ts';

/**
 * Everything that Bursar holds of a payment, for its owner to lay before the seller or a third party. The proof is left out while it can
 * still settle: whoever holds it can make it settle. Secrets of a challenge are masked; hashes are of the texts as they came. Throws `INPUT_INVALID` for a payment that was never signed: nothing is to dispute.
 */
export function disputePacket(payment: Payment, timeline: readonly TimelineEntry[], madeAt: number): DisputePacket {
  const { terms } = payment;
  if (!terms || !payment.proofText) {
    throw new BursarError('INPUT_INVALID', `Payment ${payment.id} was never signed, so there is nothing to dispute.`, { context: { payment: payment.id } });
  }
  const mayMove = payment.money === 'outstanding';
  return {
    format: 'bursar-dispute/1',
    madeAt: iso(madeAt),
    paymentId: payment.id,
    status: paymentStatus(payment),
    columns: { decision: payment.decision, money: payment.money, service: payment.service },
    reason: { code: payment.reason.code, text: maskBehindWords(payment.reason.text) },
    terms: {
      client: terms.client,
      upstream: terms.upstream,
      tool: terms.tool,
      dialect: terms.dialect,
      scheme: terms.scheme,
      network: terms.network,
      asset: terms.asset,
      amount: terms.amount.toString(),
      payee: terms.payee,
      payer: terms.payer,
      flow: terms.flow,
    },
    transaction: payment.transaction,
    final: payment.final,
    arguments: payment.argumentsText,
    challenge: maskSecrets(payment.challengeText),
    offer: maskSecrets(payment.offerText),
    proof: mayMove ? '' : payment.proofText,
    receipt: maskSecrets(payment.receiptText),
    hashes: {
      terms: payment.termsDigest,
      arguments: terms.argumentsHash,
      challenge: hash(payment.challengeText),
      offer: hash(payment.offerText),
      proof: hash(payment.proofText),
      receipt: payment.receiptText ? hash(payment.receiptText) : '',
    },
    timeline: timeline.map(({ at, kind, detail }) => ({ at: iso(at), kind, detail: maskBehindWords(detail) })),
  };
}

/** The packet as a page that people read. Whatever a server wrote stands in fenced blocks, where it cannot pass for Bursar's words. */
export function disputeMarkdown(packet: DisputePacket): string {
  const { terms, hashes } = packet;
  const money = { none: 'never moved', reserved: 'not signed', outstanding: 'has not moved, and still may', settled: `moved${packet.final ? '' : ' (not final yet)'}`, dead: 'did not move, and cannot any more' }[packet.columns.money];
  const rows = (entries: readonly (readonly [string, string])[]) => ['| | |', '|---|---|', ...entries.map(([name, value]) => `| ${name} | ${value === '' ? '–' : code(value)} |`)];
  return [
    `# Payment ${packet.paymentId}: ${packet.status}`,
    '',
    `Made by Bursar at ${packet.madeAt}. The money ${money}. ${packet.reason.text ? 'Why it is in this state:' : ''}`.trim(),
    ...(packet.reason.text ? ['', fence(packet.reason.text)] : []),
    '',
    '## Terms',
    '',
    ...rows([
      ['Server', terms.upstream],
      ['Tool', terms.tool],
      ['Client', terms.client],
      ['Payee', terms.payee],
      ['Payer', terms.payer],
      ['Amount (base units)', terms.amount],
      ['Token', terms.asset],
      ['Network', terms.network],
      ['Dialect, scheme, flow', `${terms.dialect}, ${terms.scheme}, ${terms.flow}`],
      ['Transaction', packet.transaction],
    ]),
    '',
    '## Timeline (UTC)',
    '',
    ...packet.timeline.map(({ at, kind, detail }) => `- ${at} **${kind}**${detail ? ` ${code(detail)}` : ''}`),
    '',
    '## Evidence',
    '',
    'Verbatim, but for secrets, which are masked. The SHA-256 is of each text as it came. The hashes of terms and arguments are over their canonical JSON.',
    '',
    ...rows(Object.entries(hashes)),
    ...[
      ['Arguments of the call', packet.arguments],
      ['What the server asked for', packet.challenge],
      ['The offer that was taken', packet.offer],
      ['The signed proof', packet.proof || 'Left out: it could still be used to collect the money.'],
      ['The receipt of the server', packet.receipt || 'None.'],
    ].flatMap(([title, text]) => ['', `### ${title}`, '', fence(text ?? '')]),
    '',
  ].join('\n');
}

const iso = (at: number): string => new Date(at).toISOString();
const hash = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** On one line and without what would end a table cell or a code span. */
const code = (text: string): string => `\`${text.replace(/[`|\s]+/g, ' ').trim().slice(0, 500)}\``;

/** A fence longer than any run of backticks in it. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}
