import type { Command } from 'commander';
import type { RequestView } from '../../shared/contract/requests.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';
import { carryOut } from './delegation-commands.ts';
import { moneyText, oneLine } from './print.ts';
import { askLine, isAtTerminal } from './terminal.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface ApproveOptions {
  readonly owner?: string;
  readonly amount?: string;
  readonly label?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `bursar request list | approve | reject`. */
export function addRequestCommands(program: Command, tools: CommandTools): void {
  const { withConnection, print, command } = tools;
  const requests = program.command('request').description('what agents ask you to do: an account, a spending limit on Solana, or its end');
  requests
    .command('list')
    .description('list the requests, newest first')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('requests.list', {});
        print(json, listed, () => (listed.requests.length === 0 ? ['No request.'] : listed.requests.flatMap(requestLines)));
      }),
    );
  requests
    .command('approve')
    .description('do what is asked, after showing its exact terms')
    .argument('<request>', 'id of the request, as the list shows it')
    .option('--owner <address>', 'whose money may be spent, where you have several Solana accounts')
    .option('--amount <amount>', 'allow another amount than was asked for, in whole tokens')
    .option('--label <label>', 'name of an account that is made')
    .option('--yes', 'do not ask')
    .option(...JSON_OPTION)
    .action((id: string, options: ApproveOptions) => withConnection((connection) => approve(connection, id, options, tools, command)));
  requests
    .command('reject')
    .description('reject a request; the agent is told that you said no')
    .argument('<request>', 'id of the request, as the list shows it')
    .option(...JSON_OPTION)
    .action((id: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const rejected = await request('requests.reject', { id });
        print(json, rejected, () => ['Rejected. Nothing was done.']);
      }),
    );
}

async function approve(connection: Connection, id: string, options: ApproveOptions, tools: CommandTools, command: (words: string) => string): Promise<void> {
  const { request } = connection;
  const { owner, amount, label, yes, json } = options;
  const found = (await request('requests.list', {})).requests.find((one) => one.id === id);
  if (found?.state !== 'waiting') throw new BursarError('NOT_FOUND', `No request ${oneLine(id)} waits.`, { hint: 'List them with: request list.' });
  process.stderr.write(`${requestLines(found).join('\n')}\n`);
  if (found.kind === 'setup') {
    if (!yes && (!isAtTerminal() || (await askLine('Make the account? Type yes to make it, anything else to leave it: ')).trim().toLowerCase() !== 'yes')) {
      throw new BursarError('APPROVAL_CANCELLED', 'Nothing was done.', { hint: 'The request still waits. On a terminal you are asked; --yes answers without asking.' });
    }
    const made = await request('requests.approve', { id, ...(label !== undefined && { label }) });
    const next = amount ?? (found.money && moneyText(found.money).split(' ')[0]);
    return tools.print(json, made, () => [`Made the account ${made.account ?? ''}.`, ...(next === undefined ? [] : [`It may spend nothing yet. To let it: ${command(`delegation approve ${next} --delegate ${made.account ?? ''}`)}`])]);
  }
  const from = owner ?? (found.owner === '' ? undefined : found.owner);
  const wanted = amount ?? (found.money && moneyText(found.money).split(' ')[0]);
  await carryOut(
    connection,
    {
      kind: found.kind,
      delegate: found.delegate,
      token: found.asset,
      network: found.network,
      ...(from !== undefined && { owner: from }),
      ...(found.kind === 'approve' && wanted !== undefined && { amount: wanted }),
    },
    { ...(yes !== undefined && { yes }), ...(json !== undefined && { json }) },
    tools,
    async (act) => {
      const { act: done } = await request('requests.approve', { id, act });
      if (!done) throw new BursarError('INTERNAL', 'The request was approved and no transaction was made.');
      return done;
    },
  );
}

function requestLines({ id, client, granted, text, reason, state, outcome, expiresAt }: RequestView): readonly string[] {
  return [
    `${id}  ${state}  ${oneLine(client)} asks: ${oneLine(text)}`,
    ...(reason === '' ? [] : [`   It says: ${oneLine(reason)}`]),
    ...(granted ? [] : ['   This client may not ask for anything any more.']),
    state === 'waiting' ? `   Waits until ${new Date(expiresAt).toISOString()}` : `   ${oneLine(outcome)}`,
  ];
}
