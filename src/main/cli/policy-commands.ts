import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { SimulatedPayment, Simulation } from '../../shared/contract/policy.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { Policy } from '../../shared/policy/policy.ts';
import { moneyText, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** Adds `bursar policy show | set | simulate | pause | resume`. */
export function addPolicyCommands(program: Command, { withConnection, print }: CommandTools): void {
  const policy = program.command('policy').description('limits and rules of payments');
  policy
    .command('show')
    .description('print the policy in force; the printed JSON can be edited and set')
    .option('--json', 'print one JSON object with number, time and author')
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const version = await request('policy.get', {});
        print(json, version, () => [JSON.stringify(version.policy, null, 2)]);
      }),
    );
  policy
    .command('set')
    .description('put a policy in force')
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--based-on <number>', 'fail unless this version is in force', Number)
    .option(...JSON_OPTION)
    .action(async (file: string, { basedOn, json }: { basedOn?: number; json?: boolean }) => {
      const next = await readPolicy(file);
      await withConnection(async ({ request }) => {
        const version = await request('policy.set', { basedOn: basedOn ?? (await request('policy.get', {})).number, policy: next });
        print(json, version, () => [`Version ${version.number} is in force.`]);
      });
    });
  policy
    .command('simulate')
    .description('show what a policy would have said of past payments; changes nothing')
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--limit <number>', 'how many payments, the newest', Number, 2000)
    .option(...JSON_OPTION)
    .action(async (file: string, { limit, json }: { limit: number; json?: boolean }) => {
      const next = await readPolicy(file);
      await withConnection(async ({ request }) => {
        const simulation = await request('policy.simulate', { policy: next, limit });
        print(json, simulation, () => simulationLines(simulation));
      });
    });
  for (const name of ['pause', 'resume'] as const) {
    policy
      .command(name)
      .description(name === 'pause' ? 'stop every new payment and cancel what waits' : 'let payments go on')
      .option(...JSON_OPTION)
      .action(({ json }: { json?: boolean }) =>
        withConnection(async ({ request }) => {
          await request(`policy.${name}`, {});
          print(json, { paused: name === 'pause' }, () => [name === 'pause' ? 'Paused. No payment begins, and what waited is cancelled.' : 'Payments go on.']);
        }),
      );
  }
}

async function readPolicy(file: string): Promise<Policy> {
  let json: unknown;
  try {
    json = JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw new BursarError('INPUT_INVALID', `The policy cannot be read from ${file}: ${error instanceof Error ? error.message : String(error)}.`, { cause: error });
  }
  const parsed = Policy.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BursarError('INPUT_INVALID', `The policy in ${file} is not valid at "${issue?.path.join('.') ?? ''}": ${issue?.message ?? 'unknown reason'}.`, { hint: 'Its form is described in docs/policy.schema.json.' });
}

function simulationLines({ payments, counts }: Simulation): readonly string[] {
  if (payments.length === 0) return ['No payments yet.'];
  const row = ({ createdAt, verdict, decision, money, upstream, tool, rule }: SimulatedPayment) =>
    [new Date(createdAt).toISOString(), verdict, `was ${decision}`, moneyText(money), upstream, tool, rule];
  return [...table(payments.map(row)), '', `${payments.length} payments: ${counts.allow} allowed, ${counts.ask} asked, ${counts.deny} denied`];
}
