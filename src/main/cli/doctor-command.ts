import type { Command } from 'commander';
import type { Check } from '../../shared/contract/app.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import { VERSION } from '../version.ts';
import type { Connection } from './connection.ts';
import { checkConfig, checkFolder, checkNode, checkPort } from './doctor-checks.ts';
import { oneLine, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar doctor`. */
export function addDoctorCommand(program: Command, tools: CommandTools & { readonly folder: () => string }): void {
  program
    .command('doctor')
    .description('look at everything that Bursar needs, and say what to do; exit code 1 if something is broken')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const folder = tools.folder();
      // Opening the folder would set its permissions right without a word.
      const local = [checkNode(), checkFolder(folder)];
      const { check, config } = checkConfig(folder);
      const checks = [...local, ...(check ? [check] : []), ...(config ? await inside(tools, config.port) : [])];
      const ok = checks.every(({ state }) => state !== 'fail');
      if (!ok) tools.foundWrong();
      tools.print(json, { ok, checks }, () => doctorLines(checks));
    });
}

/** What only the application can say: the one that runs, else this command over the folder itself. */
async function inside({ withConnection }: CommandTools, port: number): Promise<Check[]> {
  const checks: Check[] = [];
  try {
    await withConnection(async (connection) => {
      checks.push(...(await checkApp(connection, port)));
      checks.push(...(await connection.request('app.checkup', { servers: connection.running })).checks);
    });
  } catch (error) {
    const { code, message, hint } = toErrorInfo(error);
    checks.push({ name: PART_OF[code] ?? 'app', state: 'fail', text: `${message} (${code})`, todo: hint });
  }
  return checks;
}

/** The part that keeps a folder from being opened. */
const PART_OF: Partial<Record<ErrorCode, string>> = { DATABASE_CORRUPT: 'ledger', DATABASE_TOO_NEW: 'ledger', LEDGER_TAMPERED: 'ledger', KEYCHAIN_UNAVAILABLE: 'keys', VAULT_CORRUPT: 'keys', CONFIG_CORRUPT: 'config' };

async function checkApp({ running, request }: Connection, port: number): Promise<Check[]> {
  if (!running) return [{ name: 'app', state: 'warn', text: 'Bursar is not running here.', todo: 'Start it with: npm start. A client that starts its command starts it too.' }, await checkPort(port)];
  const { version, host } = await request('app.status', {});
  const { httpUrl, httpProblem } = await request('clients.list', {});
  const other = version !== VERSION;
  return [
    { name: 'app', state: other ? 'warn' : 'ok', text: `Bursar ${version} runs ${host === 'electron' ? 'in its window' : 'without a window'}${other ? `; this command is of ${VERSION}` : ''}.`, todo: other ? 'Stop it and start it again.' : '' },
    { name: 'port', state: httpProblem === undefined ? 'ok' : 'warn', text: httpProblem ?? `Clients reach it at ${httpUrl}.`, todo: httpProblem === undefined ? '' : 'Stop the other program, or start once with --port N and correct your HTTP clients.' },
  ];
}

function doctorLines(checks: readonly Check[]): readonly string[] {
  const rows = table(checks.map(({ state, name, text }) => [state, name, text]));
  const bad = checks.filter(({ state }) => state === 'fail').length;
  const doubtful = checks.filter(({ state }) => state === 'warn').length;
  const verdict = bad > 0 ? `${bad} broken` : doubtful > 0 ? 'Nothing is broken' : 'All is well.';
  return [
    ...rows.flatMap((row, index) => [row, ...(checks[index]?.todo ? [`      → ${oneLine(checks[index].todo)}`] : [])]),
    '',
    doubtful > 0 ? `${verdict}, ${doubtful} to look at.` : bad > 0 ? `${verdict}.` : verdict,
  ];
}
