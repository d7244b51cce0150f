import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Environment } from '../../shared/contract/app.ts';
import type { ApprovalView } from '../../shared/contract/approvals.ts';
import type { StandingAct } from '../../shared/contract/standing-rules.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { approvalLines, summaryLine, waitingLines } from './approval-lines.ts';
import type { Connection } from './connection.ts';
import { moneyText, oneLine } from './print.ts';
import { saveRule } from './standing-rule.ts';
import { askLine, isAtTerminal, waitUnheard } from './terminal.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface DecideOptions {
  readonly yes?: boolean;
  /** In whole tokens, each day. */
  readonly alwaysUpTo?: string;
  readonly block?: boolean;
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Main's second; its clock is this machine's, so a longer wait would be a clock that was moved. */
const SECOND_MS = 1_000;
/** Timers may fire a little early, and main would refuse. */
const MARGIN_MS = 20;

/** `bursar approvals list | approve | reject`. */
export function addApprovalCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print } = tools;
  const approvals = program.command('approvals').description('payments that wait for you');
  approvals
    .command('list')
    .description('list the payments that wait, oldest first')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(
        async ({ request }) => {
          const listed = await request('approvals.waiting', {});
          print(json, listed, () => waitingLines(listed.waiting, Date.now()));
        },
        { role: 'approvals' },
      ),
    );
  approvals
    .command('approve')
    .description('show a payment in full, then ask whether to pay it; real money wants your passphrase, typed on a terminal')
    .argument('<payment>', 'id of the payment, as the list shows it')
    .option('--yes', 'do not ask, on play money and test networks; refused with real money')
    .option('--full', 'show all arguments of the call, however long')
    .option('--always-up-to <amount>', 'pay the same without asking from now on, up to so much each day; shows the rule before it saves it')
    .option(...JSON_OPTION)
    .action((paymentId: string, options: DecideOptions) => {
      requirePerson(options, tools.environment());
      return withConnection((connection) => decide(connection, paymentId, 'approve', options, tools), { role: 'approvals' });
    });
  approvals
    .command('reject')
    .description('reject a payment; nothing is paid, and the agent is told that you said no')
    .argument('<payment>', 'id of the payment, as the list shows it')
    .option('--block', 'block its server as well: nothing is paid to it any more, until you take the rule back')
    .option('--yes', 'with --block, on play money and test networks: do not ask')
    .option(...JSON_OPTION)
    .action((paymentId: string, options: DecideOptions) => {
      if (options.block) requirePerson(options, tools.environment());
      return withConnection((connection) => decide(connection, paymentId, 'reject', options, tools), { role: 'approvals' });
    });
}

/** Throws where nobody is there to read and answer. */
function requirePerson({ yes }: DecideOptions, environment: Environment): void {
  if (yes && environment === 'mainnet') {
    throw new BursarError('INPUT_INVALID', 'With real money --yes is refused: a person reads the terms and answers.', { hint: 'Run the command without it, in a terminal.' });
  }
  if (yes || isAtTerminal()) return;
  const hint = environment === 'mainnet' ? 'Run this command in a terminal, or use the dashboard.' : 'Run this command in a terminal; on play money --yes answers without asking.';
  throw new BursarError('OWNER_REQUIRED', 'A person has to read the terms and answer, and this is no terminal.', { hint });
}

async function decide(connection: Connection, paymentId: string, decision: 'approve' | 'reject', { yes, full, json, alwaysUpTo, block }: DecideOptions, { print }: CommandTools): Promise<void> {
  const { request } = connection;
  const approval = await read(connection, paymentId, decision);
  if (decision === 'approve') process.stderr.write(`${approvalLines(approval, { now: Date.now(), ...(full && { full }) }).join('\n')}\n`);
  // Main counts from here: what is written is on the screen.
  const { answerableAt } = await request('approvals.report', { paymentId, visible: true });
  const left = Math.min(SECOND_MS, Math.max(0, (answerableAt ?? 0) - Date.now())) + MARGIN_MS;
  const sum = `${moneyText(approval.money)} to ${oneLine(approval.upstream)}`;
  const act: StandingAct | undefined = alwaysUpTo !== undefined ? { kind: 'allow-tool', perDay: alwaysUpTo } : block ? { kind: 'block-server' } : undefined;
  const saved = act && (await saveRule(connection, approval, act, yes ?? false));
  if (saved && block) {
    // The rule denies what waits of that server, this payment too: there is nothing left to reject.
    return print(json, { paymentId, decision, policy: saved.number }, () => [`Blocked: ${oneLine(approval.upstream)}. Nothing was paid. Policy ${saved.number} is in force.`]);
  }
  if (decision === 'approve' && !yes && !saved) {
    await waitUnheard(left);
    const answer = await askLine(`Approve ${sum}? Type yes to pay, anything else to leave it waiting: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new BursarError('APPROVAL_CANCELLED', 'Nothing was decided.', { hint: 'The payment still waits; to refuse it: approvals reject.' });
  } else await wait(left);
  const { termsDigest, nonce } = approval;
  await request('approvals.decide', { paymentId, termsDigest, nonce, decision });
  print(json, { paymentId, decision, ...(saved && { policy: saved.number }) }, () => [
    decision === 'approve' ? `Approved: ${sum}. The agent gets its answer.` : `Rejected: ${sum}. Nothing was paid.`,
    ...(saved ? [`The rule is saved: policy ${saved.number} is in force.`] : []),
  ]);
}

/** The request in full. With real money that takes the passphrase, so what may be told before it is told before it. */
async function read({ request }: Connection, paymentId: string, decision: string): Promise<ApprovalView> {
  const { waiting } = await request('approvals.waiting', {});
  const summary = waiting.find((one) => one.paymentId === paymentId);
  if (!summary) throw notWaiting(paymentId, waiting.length);
  const { sessionNeeded, locked } = await request('owner.status', {});
  if (sessionNeeded || (locked && decision === 'approve')) process.stderr.write(`${summaryLine(summary)} Your passphrase is needed to ${sessionNeeded ? 'read the rest and answer' : 'approve it'}.\n`);
  const { approval, count } = await request('approvals.current', { paymentId });
  if (!approval) throw notWaiting(paymentId, count);
  return approval;
}

const notWaiting = (paymentId: string, count: number) =>
  new BursarError('NOT_FOUND', `No payment ${oneLine(paymentId)} waits.`, { hint: count === 0 ? 'None does.' : `${count === 1 ? 'One does' : `${count} do`}; list them with: approvals list.` });
