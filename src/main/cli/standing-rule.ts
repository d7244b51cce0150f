import { setTimeout as wait } from 'node:timers/promises';
import type { ApprovalView } from '../../shared/contract/approvals.ts';
import type { RuleProposal, StandingAct } from '../../shared/contract/standing-rules.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { moneyText, oneLine } from './print.ts';
import { askLine, waitUnheard } from './terminal.ts';

/** As for an answer: main's second, and what timers may fire early. */
const SECOND_MS = 1_000;
const MARGIN_MS = 20;

/** Shows what would be saved, asks, and saves it. The request has to be on this connection's screen. */
export async function saveRule({ request }: Connection, approval: ApprovalView, act: StandingAct, yes: boolean): Promise<{ readonly number: number }> {
  const { paymentId, termsDigest, nonce } = approval;
  const shown = { paymentId, termsDigest, nonce };
  const proposal = await request('approvals.proposeRule', { ...shown, act });
  process.stderr.write(`${proposalLines(proposal, approval).join('\n')}\n`);
  const left = Math.min(SECOND_MS, Math.max(0, proposal.answerableAt - Date.now())) + MARGIN_MS;
  if (yes) await wait(left);
  else {
    await waitUnheard(left);
    const question = proposal.kind === 'allow-tool' ? `Save this rule and approve ${moneyText(approval.money)}?` : `Block ${oneLine(approval.upstream)}?`;
    const answer = await askLine(`${question} Type yes, anything else to leave all as it is: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new BursarError('APPROVAL_CANCELLED', 'Nothing was saved and nothing was decided.', { hint: 'The payment still waits.' });
  }
  return request('approvals.saveRule', { ...shown, proposal: proposal.id, kind: proposal.kind });
}

/** What would be saved, in full: the words first, then the rule as it stands in the policy. */
export function proposalLines({ rule, place, rules, cap, ends }: RuleProposal, { upstream }: ApprovalView): readonly string[] {
  const exact = JSON.stringify({ rule, ...(cap && { cap: cap.cap }) }, null, 2).split('\n').map((line) => `  | ${oneLine(line)}`);
  const words = cap
    ? [
        'Paid without asking from now on, while all of this is so:',
        ...exact,
        `  At most ${moneyText({ asset: cap.asset, units: cap.limitUnits })} a day for this tool in all; ${moneyText({ asset: cap.asset, units: cap.usedUnits })} of it is spent or held today, this payment with it.`,
        ...(cap.replacesUnits === undefined ? [] : [`  It takes the place of a limit of ${moneyText({ asset: cap.asset, units: cap.replacesUnits })} a day.`]),
        '  Above the limit, this tool is refused until the next day. Changed terms, and what another server brought up, still ask.',
      ]
    : [`Nothing is paid to ${oneLine(upstream)} any more, whichever client asks:`, ...exact, `  ${ends === 1 ? 'This payment ends' : `${ends} payments that wait end`} now. Nothing was paid for ${ends === 1 ? 'it' : 'them'}.`];
  return ['', ...words, `  It stands as rule ${place} of ${rules}; policy show prints all of them, policy set changes them.`, ''];
}
