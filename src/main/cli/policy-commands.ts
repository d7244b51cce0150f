import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { PolicyReview, SimulatedPayment, Simulation } from '../../shared/contract/policy.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { firstIssue, issueWords } from '../../shared/errors/issue-words.ts';
import { Policy } from '../../shared/policy/policy.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { Connection } from './connection.ts';
import { moneyText, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** Adds `bursar policy show | versions | check | set | simulate | pause | resume`. */
export function addPolicyCommands(program: Command, { withConnection, print, foundWrong }: CommandTools): void {
  const policy = program.command('policy').description('limits and rules of payments');
  policy
    .command('show')
    .description('print the policy in force; the printed JSON can be edited and set')
    .option('--of <number>', 'an earlier version, to be set again', Number)
    .option('--json', 'print one JSON object with number, time and author')
    .action(({ of, json }: { of?: number; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const version = of === undefined ? await request('policy.get', {}) : await request('policy.version', { number: of });
        print(json, version, () => [JSON.stringify(version.policy, null, 2)]);
      }),
    );
  policy
    .command('versions')
    .description('list what was saved, newest first')
    .option('--limit <number>', 'how many, at most 100', Number, 20)
    .option(...JSON_OPTION)
    .action(({ limit, json }: { limit: number; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('policy.versions', { limit });
        print(json, listed, () => table(listed.versions.map(({ number, savedAt, author, caps, rules, paused }) => [String(number), new Date(savedAt).toISOString(), author, `${caps} limits`, `${rules} rules`, paused ? 'paused' : ''])));
      }),
    );
  policy
    .command('check')
    .description('say what is wrong with a policy, or what it lets through that the one in force holds back; changes nothing')
    .argument('<file>', 'JSON file, or - for standard input')
    .option(...JSON_OPTION)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const next = await readJson(file);
      await withConnection(async ({ request }) => {
        const review = await request('policy.review', { policy: next });
        print(json, review, () => reviewLines(review));
        if (review.problems.length > 0) foundWrong();
      });
    });
  policy
    .command('set')
    .description('put a policy in force')
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--based-on <number>', 'fail unless this version is in force', Number)
    .option(...JSON_OPTION)
    .action(async (file: string, { basedOn, json }: { basedOn?: number; json?: boolean }) => {
      const next = await readPolicy(file);
      await withConnection(async (connection) => {
        const { request } = connection;
        const { loosens } = await request('policy.review', { policy: next });
        for (const sentence of loosens) process.stderr.write(`bursar: ${cleanText(sentence)}\n`);
        const version = await request('policy.set', { basedOn: basedOn ?? (await request('policy.get', {})).number, policy: next });
        print(json, version, () => [`Version ${version.number} is in force.`]);
        await warnOfAccounts(connection, next);
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
      await withConnection(async (connection) => {
        const { request } = connection;
        const simulation = await request('policy.simulate', { policy: next, limit });
        print(json, simulation, () => simulationLines(simulation));
        await warnOfAccounts(connection, next);
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

const sourceOf = (file: string): string => (file === '-' ? 'standard input' : file);

async function readJson(file: string): Promise<unknown> {
  const source = sourceOf(file);
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new BursarError('INPUT_INVALID', `What stands in ${source} is not JSON: ${cause.message}.`, { hint: 'Check it for a missing quote, comma or bracket.', cause });
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `There is no file ${file}.` : `The file ${file} cannot be read${code === undefined ? '' : ` (${code})`}.`;
    throw new BursarError('INPUT_INVALID', why, { hint: 'Give the path of a JSON file, or - for standard input.', cause });
  }
}

async function readPolicy(file: string): Promise<Policy> {
  const parsed = Policy.safeParse(await readJson(file), { error: issueWords });
  if (parsed.success) return parsed.data;
  const { field, words } = firstIssue(parsed.error);
  throw new BursarError('INPUT_INVALID', `The policy in ${sourceOf(file)} is not valid${field && ` at ${field}`}: ${words}.`, { hint: 'Its form is described in docs/policy.schema.json.' });
}

const reviewLines = ({ problems, loosens, against }: PolicyReview): readonly string[] => {
  if (problems.length > 0) return problems.map(({ field, words }) => `${field || 'The policy'}: ${words}`);
  return loosens.length === 0 ? [`It is nowhere looser than version ${against}, which is in force.`] : [`Against version ${against}, which is in force:`, ...loosens.map((sentence) => `- ${sentence}`)];
};

/** A limit or a preference for an account that this wallet does not have does nothing, and nobody would notice. */
async function warnOfAccounts({ request }: Connection, { caps, rules, paying }: Policy): Promise<void> {
  const named = [
    ...caps.map(({ over }, index) => ({ place: `caps[${index}]`, account: over.account })),
    ...rules.map(({ when }, index) => ({ place: `rules[${index}]`, account: when.account })),
    ...(paying?.accounts ?? []).map(({ account }, index) => ({ place: `paying.accounts[${index}]`, account })),
  ].flatMap(({ place, account }) => (account === undefined ? [] : [{ place, account }]));
  // Listing reads balances too, which may take its time.
  if (named.length === 0) return;
  const { accounts } = await request('accounts.list', {});
  for (const { place, account } of named) {
    if (accounts.some(({ address }) => sameAccount(address, account))) continue;
    process.stderr.write(`bursar: The policy's ${place} names the account ${cleanText(account, 100)}, which this wallet does not have, so it does nothing.\n`);
  }
}

const sameAccount = (a: string, b: string): boolean => a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase());

function simulationLines({ payments, counts, notReplayed }: Simulation): readonly string[] {
  if (payments.length === 0) return ['No payments yet.'];
  const row = ({ createdAt, verdict, decision, money, upstream, tool, rule }: SimulatedPayment) =>
    [new Date(createdAt).toISOString(), verdict, `was ${decision}`, moneyText(money), upstream, tool, rule];
  return [...table(payments.map(row)), '', `${payments.length} payments: ${counts.allow} allowed, ${counts.ask} asked, ${counts.deny} denied`, ...notReplayed.map((sentence) => `- ${sentence}`)];
}
