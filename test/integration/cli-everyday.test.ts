import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Check } from '../../src/shared/contract/app.ts';
import type { PaymentView } from '../../src/shared/contract/payments.ts';
import type { UpstreamTest } from '../../src/shared/contract/upstreams.ts';
import { entryOf, ranCli, startApp, type AppProcess, type Ran } from '../support/app-process.ts';
import { httpAgent } from '../support/http-agent.ts';

const json = ({ out }: Ran): unknown => JSON.parse(out);
interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}
const doctor = (ran: Ran) => json(ran) as Doctor;
const check = (ran: Ran, name: string) => doctor(ran).checks.find((one) => one.name === name);

/** A server of the stateless protocol alone, with a tool on each of two pages. */
const MODERN_SERVER = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const send = (rest) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\\n');
  if (params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') return send({ error: { code: -32602, message: 'unsupported' } });
  if (method === 'server/discover') return send({ result: { supportedVersions: ['2026-07-28'], capabilities: {}, serverInfo: { name: 'modern', version: '3' } } });
  send({ result: { tools: [{ name: params.cursor ?? 'a', inputSchema: {} }], ...(params.cursor ? {} : { nextCursor: 'b' }) } });
});
`;

describe('a running Bursar', () => {
  let app: AppProcess;
  const cli = (...words: string[]) => ranCli(['--home', app.home, ...words]);
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(async () => {
    await app.stop();
    rmSync(app.home, { recursive: true, force: true });
  });

  test('doctor calls what works broken, or what is broken sound', async () => {
    const sound = await cli('doctor', '--json');
    expect({ code: sound.code, ok: doctor(sound).ok }).toEqual({ code: 0, ok: true });
    for (const name of ['node', 'folder', 'config', 'app', 'port', 'keys', 'ledger', 'network eip155:84532', 'clients', 'server demo']) expect(check(sound, name)).toMatchObject({ state: 'ok', todo: '' });

    await cli('upstream', 'add', 'gone', '--', join(app.home, 'no-such-program'));
    if (process.platform !== 'win32') chmodSync(app.home, 0o755);
    const broken = await cli('doctor', '--json');
    expect({ code: broken.code, ok: doctor(broken).ok }).toEqual({ code: 1, ok: false });
    expect(check(broken, 'server gone')).toMatchObject({ state: 'fail', todo: expect.stringMatching(/./) });
    if (process.platform !== 'win32') expect(check(broken, 'folder')).toMatchObject({ state: 'fail', todo: expect.stringContaining('chmod 700') });
    const lines = (await cli('doctor')).out;
    expect(lines).toMatch(/^fail {2}server gone +\S.*\n {6}→ /m);
    chmodSync(app.home, 0o700);
    await cli('upstream', 'remove', 'gone');
  });

  test('upstream test leaves out tools or prices, pays, or hangs on a server that is none', async () => {
    const tested = await cli('upstream', 'test', 'demo', '--json');
    expect(tested.code).toBe(0);
    const { tools, server, more } = json(tested) as UpstreamTest;
    expect([tools.length + more, server.startsWith('bursar-demo-seller')]).toEqual([17, true]);
    expect(tools.find(({ name }) => name === 'seasons')?.price).toBe('0.01 USDC');
    expect(json(await cli('history', '--json'))).toEqual({ payments: [], more: false });

    const file = join(app.home, 'modern.mjs');
    writeFileSync(file, MODERN_SERVER);
    await cli('upstream', 'add', 'modern', '--', process.execPath, file);
    expect(json(await cli('upstream', 'test', 'modern', '--json'))).toMatchObject({ server: 'modern 3', protocolVersion: '2026-07-28', tools: [{ name: 'a' }, { name: 'b' }], more: 0 });

    await cli('upstream', 'add', 'silent', '--', process.execPath, '-e', 'setInterval(() => {}, 1000)');
    expect(await cli('upstream', 'test', 'silent', '--within', '1')).toMatchObject({ code: 1, err: expect.stringMatching(/did not answer initialize within 1 s\. .*UPSTREAM_UNREACHABLE/) });
    await cli('upstream', 'add', 'page', '--url', app.mcp.replace('/mcp', '/nowhere'));
    expect(await cli('upstream', 'test', 'page', '--within', '5')).toMatchObject({ code: 1, err: expect.stringMatching(/\(UPSTREAM_/) });
    expect(await cli('upstream', 'test', 'nobody')).toMatchObject({ code: 1, err: expect.stringContaining('UPSTREAM_UNKNOWN') });
    for (const name of ['modern', 'silent', 'page']) await cli('upstream', 'remove', name);
  });

  test('who settles, or with whom, is not kept, or is another than what was said', async () => {
    const config = () => JSON.parse(readFileSync(join(app.home, 'config.json'), 'utf8')) as { clientSettlement?: string[]; facilitators?: Record<string, string[]> };
    expect((await cli('upstream', 'set', 'demo', '--settlement', 'client')).code).toBe(0);
    expect(config().clientSettlement).toEqual(['demo']);
    expect(json(await cli('upstream', 'list', '--json'))).toMatchObject({ upstreams: [{ name: 'demo', settlement: 'client' }] });
    await cli('upstream', 'set', 'demo', '--settlement', 'server');
    expect(config().clientSettlement).toEqual([]);
    expect((await cli('upstream', 'set', 'nobody', '--settlement', 'client')).code).toBe(1);

    const network = 'eip155:84532';
    const listed = async () => (json(await cli('facilitator', 'list', '--json')) as { facilitators: { network: string; urls: string[]; own: boolean }[] }).facilitators.find((one) => one.network === network);
    const [builtIn] = [await listed()];
    expect(builtIn?.own).toBe(false);
    await cli('facilitator', 'set', network, 'https://one.example', 'https://two.example');
    expect(await listed()).toEqual({ network, urls: ['https://one.example', 'https://two.example'], own: true });
    expect(config().facilitators).toEqual({ [network]: ['https://one.example', 'https://two.example'] });
    await cli('facilitator', 'reset', network);
    expect([await listed(), config().facilitators]).toEqual([builtIn, undefined]);
    expect((await cli('facilitator', 'reset', network)).code).toBe(1);
    expect(await cli('facilitator', 'set', 'eip155:8453', 'https://one.example')).toMatchObject({ code: 1, err: expect.stringContaining('HOME_NETWORK_MISMATCH') });
    expect(await cli('facilitator', 'set', network, 'ftp://one.example')).toMatchObject({ code: 2, err: expect.stringContaining('INPUT_INVALID') });
  });

  test('a policy that names nobody is taken in silence, or a file that is not there is called a field', async () => {
    const before = (await cli('policy', 'show')).out;
    const set = (change: object) => ranCli(['--home', app.home, 'policy', 'set', '-'], { input: JSON.stringify({ ...(JSON.parse(before) as object), ...change }) });
    const own = (json(await cli('account', 'list', '--json')) as { accounts: { address: string }[] }).accounts[0]!.address;
    const short = `${own.slice(0, 6)}…${own.slice(-4)}`;
    expect(await set({ paying: { accounts: [{ account: short }] } })).toMatchObject({ code: 0, err: expect.stringContaining(`paying.accounts[0] names the account ${short}, which this wallet does not have`) });
    expect(await set({ paying: { accounts: [{ account: own.toLowerCase() }] } })).toMatchObject({ code: 0, err: expect.not.stringContaining('does not have') });
    expect(await set({ otherwise: 'maybe' })).toMatchObject({ code: 2, err: expect.stringContaining('at otherwise: it has to be one of allow, ask, deny.') });
    expect(await cli('policy', 'set', join(app.home, 'nowhere.json'))).toMatchObject({ code: 2, err: expect.stringMatching(/There is no file .*nowhere\.json\. Give the path/) });
    expect((await ranCli(['--home', app.home, 'policy', 'set', '-'], { input: before })).code).toBe(0);
  });

  test('another kind of money than that of the folder is ignored, and its command strikes this one', async () => {
    for (const words of [['policy', 'pause'], ['mcp', 'demo'], ['history']]) {
      expect(await ranCli(['--home', app.home, '--network', 'mainnet', ...words])).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/is for sandbox, not for mainnet\. .*HOME_NETWORK_MISMATCH/) });
    }
    expect(JSON.parse((await cli('policy', 'show')).out)).not.toHaveProperty('paused');
  });

  test('history ends with its first page, a filter lets others through, or a reader who leaves is told of a defect', async () => {
    await cli('policy', 'pause');
    const agent = await httpAgent(app);
    const CALLS = 520;
    for (let at = 0; at < CALLS; at += 40) {
      await Promise.all(Array.from({ length: Math.min(40, CALLS - at) }, (_, index) => agent.call('sun_times', { latitude: 1, longitude: (at + index) / 10, date: '2026-06-21' })));
    }
    const csv = (await cli('history', '--csv')).out.split('\r\n');
    expect(csv).toHaveLength(CALLS + 2);
    expect(new Set(csv.slice(1, -1).map((line) => line.split(',')[0])).size).toBe(CALLS);
    expect((await cli('history', '--csv', '--limit', '7')).out.split('\r\n')).toHaveLength(7 + 2);

    const listed = async (...words: string[]) => json(await cli('history', '--json', ...words)) as { payments: PaymentView[]; more: boolean };
    const all = await listed('--all');
    expect([all.payments.length, all.more]).toEqual([CALLS, false]);
    expect(await listed()).toEqual({ payments: all.payments.slice(0, 50), more: true });
    expect((await listed('--limit', '510')).payments).toEqual(all.payments.slice(0, 510));
    const middle = all.payments[200]!;
    expect((await listed('--all', '--since', new Date(middle.createdAt).toISOString())).payments).toEqual(all.payments.filter(({ createdAt }) => createdAt >= middle.createdAt));
    expect((await listed('--all', '--state', 'denied', '--server', 'demo')).payments).toEqual(all.payments);
    expect(await listed('--state', 'delivered')).toEqual({ payments: [], more: false });
    expect(await listed('--server', 'other')).toEqual({ payments: [], more: false });

    const child = spawn(process.execPath, [entryOf('cli.js'), '--home', app.home, 'history', '--csv'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.once('data', () => child.stdout.destroy());
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    await cli('policy', 'resume');
  });

  test('a second start is refused to a person, or a script takes the first one for its own', async () => {
    expect(await cli('start')).toMatchObject({ code: 0, out: expect.stringMatching(/^Bursar runs already\..*\nhttp:\/\/localhost:\d+\/open\?token=/) });
    expect(await cli('start', '--json')).toMatchObject({ code: 3, out: expect.stringMatching(/^{"error":{"code":"HOME_IN_USE".*}\n$/) as string, err: expect.stringContaining('HOME_IN_USE') });
    expect(await cli('serve')).toMatchObject({ code: 3, out: '', err: expect.stringContaining('HOME_IN_USE') });
  });
});

describe('without a running Bursar', () => {
  test('doctor makes a folder, or takes a broken one for sound', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bursar-doctor-'));
    const missing = join(folder, 'missing');
    const none = await ranCli(['--home', missing, 'doctor', '--json']);
    expect([none.code, check(none, 'folder')?.state, existsSync(missing)]).toEqual([1, 'fail', false]);
    writeFileSync(join(folder, 'config.json'), '{"version":1,');
    const broken = await ranCli(['--home', folder, 'doctor', '--json']);
    expect([broken.code, check(broken, 'config')]).toEqual([1, expect.objectContaining({ state: 'fail', text: expect.stringContaining('line 1') })]);
    rmSync(folder, { recursive: true });
  });

  test.each([
    [['--version'], 0],
    [['--help'], 0],
    [['approvals', '--help'], 0],
    [['no-such-command'], 2],
    [['approvals'], 2],
    [['history', '--limt', '3'], 2],
    [['history', '--json', '--csv'], 2],
    [['history', '--since', 'yesterday'], 2],
    [['history', '--state', 'paid'], 2],
    [['--home', '/nowhere/bursar', 'history'], 1],
    [['--home', '/nowhere/bursar', 'approvals', 'list'], 1],
    [['--home', '/nowhere/bursar', 'dashboard'], 1],
  ])('%j: ends with another code than the one that is documented', async (words, code) => {
    expect((await ranCli(words)).code).toBe(code);
  });

  test('a misspelt option is refused without what is near, or --home behind the command without where it stands', async () => {
    expect((await ranCli(['history', '--limt', '3'])).err).toContain('Did you mean --limit?');
    expect((await ranCli(['histroy'])).err).toContain('Did you mean history?');
    expect((await ranCli(['history', '--home', '/tmp'])).err).toContain('stand before the command');
  });

  test('with --json an error is a text that no program can read', async () => {
    expect(json(await ranCli(['--home', '/nowhere/bursar', 'history', '--json']))).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String), hint: expect.any(String), context: {} } });
    for (const words of [['history', '--json', '--limt', '3'], ['start', '--json', '--port', 'abc'], ['upstream', '--json'], ['serve', '--json', '--network', 'moon']]) {
      const ran = await ranCli(words);
      expect([words, ran.code, json(ran)]).toEqual([words, 2, { error: { code: 'INPUT_INVALID', message: expect.stringMatching(/^[A-Z'].*[.)?]$/s) as string, hint: expect.any(String) as string, context: {} } }]);
    }
    expect((await ranCli(['mcp', '--json'])).out).toBe('');
  });

  test('wrong usage is told in more than one line, or without a code', async () => {
    for (const words of [['history', '--limt', '3'], ['start', '--port', 'abc'], ['histroy'], ['history', '--home', '/tmp'], ['upstream', 'set', 'x']]) expect((await ranCli(words)).err).toMatch(/^bursar: [^\n]+ \(INPUT_INVALID\)\n$/);
  });
});

test('a command or an option is not in docs/cli.md, or stands there and is gone', async () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8');
  const commandsIn = (help: string) => [...(help.split(/^(?:Run|Commands):$/m)[1] ?? '').matchAll(/^ {2}([a-z-]+)(?= )/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
  const optionsIn = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name!).filter((name) => name !== '--help' && name !== '--version');
  const table = page.split('## Commands')[1]!.split('## Exit codes')[0]!;
  const rows = new Map([...table.matchAll(/^\| `([a-z -]+?)(?: [<["].*?)?` \|(.*)\|$/gm)].map(([, words, rest]) => [words!.trim(), rest!]));
  const seen: string[] = [];
  const visit = async (words: readonly string[]): Promise<void> => {
    const help = (await ranCli([...words, '--help'])).out;
    const children = commandsIn(help);
    if (children.length > 0) return void (await Promise.all(children.map((child) => visit([...words, child]))));
    const name = words.join(' ');
    seen.push(name);
    const shown = [...(rows.get(name) ?? '').matchAll(/`(--[a-z-]+)/g)].map(([, option]) => option!);
    expect([name, optionsIn(help).toSorted()]).toEqual([name, shown.toSorted()]);
  };
  await visit([]);
  expect(seen.length).toBeGreaterThan(30);
  expect(seen.toSorted()).toEqual([...rows.keys()].toSorted());
});
