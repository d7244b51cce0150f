// npm run clients [-- --json]: a running Bursar registers itself in every client that it knows, in a home folder of its own with files as people
// have them, and takes it back. Where npm has the client's command line, the real client lists Bursar and calls a free tool through it; what makes
// it call is a model of this machine. One row a client; ends with 1 where one is not as it has to be.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { ClientKind } from '../../src/shared/contract/clients.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { writePersonsFiles, type PersonsFile } from './files.ts';
import { startModel } from './model.ts';
import { installClients, realClient, runClient } from './real-clients.ts';

/** `listed` and `called` are a sentence where there is no program to try them with. */
interface Row {
  readonly client: ClientKind;
  readonly detected: boolean;
  readonly written: boolean;
  readonly verified: boolean;
  readonly undone: boolean;
  readonly protected: boolean;
  readonly listed: boolean | string;
  readonly called: boolean | string;
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
if (process.platform !== 'linux') throw new Error('the files of this check lie where Linux has them');
await installClients();

const home = mkdtempSync(join(tmpdir(), 'bursar-clients-'));
const files = writePersonsFiles(home);
const app = await startApp({ env: { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' } });
const rows: Row[] = [];
try {
  for (const kind of ClientKind.options) {
    const row = await check(kind, files[kind], app);
    rows.push(row);
    if (!values.json) console.log(rowText(row));
  }
} finally {
  await app.stop();
  rmSync(app.home, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
}
const failed = rows.filter((row) => Object.values(row).includes(false)).length;
console.log(JSON.stringify({ clients: rows, failed }));
process.exit(failed === 0 ? 0 : 1);

async function check(kind: ClientKind, file: PersonsFile, { home: folder }: AppProcess): Promise<Row> {
  const bursar = async (...words: string[]): Promise<unknown> => JSON.parse(await runCli(['--home', folder, 'connect', ...words, '--json']));
  const bytes = () => readFileSync(file.path, 'utf8');
  const isAsItWas = () => bytes() === file.text && (statSync(file.path).mode & 0o777) === 0o640;
  const state = async (): Promise<string | undefined> => ((await bursar()) as { clients: { kind: string; state: string; path: string }[] }).clients.find((client) => client.kind === kind && client.path === file.path)?.state;

  const detected = (await state()) === 'unregistered' && isAsItWas();
  const registered = (await bursar(kind)) as { state?: string };
  const written = registered.state === 'registered' && bytes() !== file.text;
  const { 'bursar-all': own, ...others } = file.servers(bytes());
  const verified = own?.env?.['BURSAR_CLIENT_TOKEN'] !== undefined && isDeepStrictEqual(others, file.servers(file.text)) && (await state()) === 'registered';
  await bursar(kind, '--undo');
  const undone = isAsItWas();

  await bursar(kind, '--protect', 'files');
  const taken = !bytes().includes('sk-1') && bytes().includes('--upstream');
  await bursar(kind, '--protect', 'files', '--undo');
  const row = { client: kind, detected, written, verified, undone, protected: taken && isAsItWas() };

  const real = realClient(kind);
  if (typeof real === 'string') return { ...row, listed: real, called: real };
  await bursar(kind);
  const listing = await runClient(real, real.list, { home });
  const listed = real.listed.test(listing);
  const model = await startModel('city_time', { timeZone: 'Europe/Berlin' });
  const { args, env } = real.call(model.url);
  const said = await runClient(real, args, { home, env });
  const called = model.answer().includes('utcOffset');
  await model.close();
  await bursar(kind, '--undo');
  if (!listed) console.error(`${kind} listed:\n${listing}`);
  if (!called) console.error(`${kind} was offered ${model.offered().join(', ')}, told the model ${model.answer() || 'nothing'}, and said:\n${said}`);
  return { ...row, listed, called };
}

function rowText({ client, ...results }: Row): string {
  const words = Object.entries(results).map(([what, result]) => (typeof result === 'string' ? `${what}: ${result}` : `${result ? '' : 'NOT '}${what}`));
  return `${client.padEnd(15)} ${words.join(', ')}`;
}
