import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/core/payments/approvals.ts';
import { connectToApp } from '../../src/main/bridge/shim-connection.ts';
import { openEngine } from '../../src/main/compose.ts';
import type { Engine } from '../../src/main/engine.ts';
import { programFiles } from '../../src/main/program-files.ts';
import { serve, type Served } from '../../src/main/serve.ts';
import type { ServerFrame } from '../../src/shared/contract/contract.ts';
import type { WaitingView } from '../../src/shared/contract/approvals.ts';
import type { PaymentView } from '../../src/shared/contract/payments.ts';
import { formatUnits } from '../../src/shared/money/money.ts';
import type { Policy } from '../../src/shared/policy/policy.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { httpAgent } from '../support/http-agent.ts';
import { openTerminal } from '../support/terminal.ts';
import { USDC_ON_BASE, waitingPayment } from '../support/waiting-payment.ts';

const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));
const passphrase = 'correct horse battery';

describe('real money', () => {
  let engine: Engine;
  let served: Served;
  let home: string;
  let answer: Promise<Answer>;
  let answered: Answer | undefined;
  const id = 'pay_0123456789abcdef01234567';

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'bursar-cli-real-'));
    engine = await openEngine({ environment: 'mainnet', home, host: 'headless', files, version: '0', preferVault: true, live: false });
    const owner = { surface: 'dashboard', connection: 'test', host: 'headless' } as const;
    await engine.router.dispatch('owner.setPassphrase', { passphrase, code: engine.setupCode }, owner);
    served = await serve({ engine, files, host: 'headless', port: 0, launch: { command: files.node, args: [] } });
  });
  afterAll(async () => {
    await served.close();
    await engine.close();
    rmSync(home, { recursive: true, force: true });
  });
  let done: AbortController;
  beforeEach(() => {
    done = new AbortController();
    answered = undefined;
    answer = engine.approvals.ask(waitingPayment({ id, expiresAt: Date.now() + 600_000 }), done.signal);
    void answer.then((given) => (answered = given));
  });
  afterEach(() => done.abort());

  test('I7: an agent with a shell approves by a pipe, by --yes, by a passphrase file, or under the name of play money', async () => {
    const file = join(home, '..', `bursar-passphrase-${process.pid}`);
    writeFileSync(file, passphrase);
    const env = { BURSAR_PASSPHRASE_FILE: file };
    const approve = (...words: string[]) => runCli(['--home', home, ...words, 'approvals', 'approve', id], { input: `${passphrase}\nyes\n`, env });
    try {
      await expect(approve()).rejects.toThrow(/ended with 1: .*no terminal/);
      await expect(runCli(['--home', home, 'approvals', 'approve', id, '--yes'], { env })).rejects.toThrow(/ended with 2: .*--yes is refused/);
      await expect(runCli(['--home', home, '--network', 'testnet', 'approvals', 'approve', id, '--yes'], { env })).rejects.toThrow(/HOME_NETWORK_MISMATCH/);
      await expect(runCli(['--home', home, 'approvals', 'reject', id], { input: `${passphrase}\n`, env })).rejects.toThrow(/typed on a terminal/);
      expect(answered).toBeUndefined();
    } finally {
      rmSync(file);
    }
  });

  test('I7: the terms, the digest or the nonce are told, or an answer is taken, without the passphrase', async () => {
    const socket = await connectToApp({ home, hello: { role: 'approvals' }, startMs: 0 });
    const settings = await connectToApp({ home, hello: { role: 'control' }, startMs: 0 });
    const ask = (connection: typeof socket, route: string, input: unknown) =>
      new Promise<ServerFrame>((resolve) => {
        const lines = createInterface({ input: connection });
        lines.on('line', (line) => {
          const frame = JSON.parse(line) as ServerFrame;
          if (!('id' in frame)) return;
          lines.close();
          resolve(frame);
        });
        connection.write(`${JSON.stringify({ id: 1, route, input })}\n`);
      });
    const code = async (connection: typeof socket, route: string, input: unknown) => (await ask(connection, route, input)) as { reply: { ok: boolean; error?: { code: string } } };
    const decision = { paymentId: id, termsDigest: 'd', nonce: 'n', decision: 'approve' };
    for (const [route, input] of [['approvals.current', {}], ['approvals.report', { paymentId: id, visible: true }], ['approvals.decide', decision]] as const) {
      expect(await code(socket, route, input)).toMatchObject({ reply: { ok: false, error: { code: 'OWNER_REQUIRED' } } });
      expect(await code(settings, route, input)).toMatchObject({ reply: { ok: false, error: { code: 'FORBIDDEN' } } });
    }
    // What answers changes nothing, even with the passphrase.
    expect(await code(socket, 'owner.unlock', { passphrase })).toMatchObject({ reply: { ok: true } });
    expect(await code(socket, 'policy.pause', {})).toMatchObject({ reply: { ok: false, error: { code: 'FORBIDDEN' } } });
    expect(JSON.stringify(await ask(settings, 'approvals.waiting', {}))).not.toMatch(/termsDigest|nonce|payee/);
    socket.destroy();
    settings.destroy();
  });

  test.skipIf(process.platform !== 'linux')('the payee is cut short or shown after the answer, a key pressed too early approves, or a wrong passphrase does', async () => {
    const wrong = openTerminal(['--home', home, 'approvals', 'approve', id]);
    await wrong.saw('Passphrase: ');
    wrong.type('not the passphrase\r');
    expect(await wrong.exited).toBe(1);
    expect(wrong.printed()).not.toContain(USDC_ON_BASE.payee);
    expect(answered).toBeUndefined();

    const hasty = openTerminal(['--home', home, 'approvals', 'approve', id]);
    await hasty.saw('Passphrase: ');
    hasty.type(`${passphrase}\r`);
    await hasty.saw(USDC_ON_BASE.payee);
    hasty.type('yes\r');
    await hasty.saw('Type yes');
    hasty.type('no\r');
    expect(await hasty.exited).toBe(1);
    expect(answered).toBeUndefined();

    const calm = openTerminal(['--home', home, 'approvals', 'approve', id]);
    await calm.saw('Your passphrase is needed');
    await calm.saw('Passphrase: ');
    expect(calm.printed()).not.toContain(USDC_ON_BASE.payee);
    calm.type(`${passphrase}\r`);
    await calm.saw('1.25 USDC');
    await calm.saw('Base (eip155:8453)');
    await calm.saw(USDC_ON_BASE.payee);
    await calm.saw('Type yes');
    calm.type('yes\r');
    await calm.saw('Approved: 1.25 USDC to weather.');
    expect(await calm.exited).toBe(0);
    expect(await answer).toBe('approved');
    expect(calm.printed()).not.toContain(passphrase);
  });

  test.skipIf(process.platform !== 'linux')('I7: a tool is allowed for every day by whoever types yes, or its owner cannot allow it on a terminal', async () => {
    done.abort();
    done = new AbortController();
    const allowed = engine.approvals.ask(waitingPayment({ id, tool: 'forecast', expiresAt: Date.now() + 600_000 }), done.signal);
    const policy = async () => engine.router.dispatch('policy.get', {}, { surface: 'dashboard', connection: 'test', host: 'headless' });
    const terminal = openTerminal(['--home', home, 'approvals', 'approve', id, '--always-up-to', '50']);
    await terminal.saw('Passphrase: ');
    terminal.type(`${passphrase}\r`);
    await terminal.saw('Save this rule and approve 1.25 USDC?');
    terminal.type('yes\r');
    await terminal.saw('The rule is saved: policy 2 is in force.');
    expect(await terminal.exited).toBe(0);
    expect(await allowed).toBe('approved');
    expect(await policy()).toMatchObject({ ok: true, value: { number: 2, policy: { rules: [{ when: { upstream: 'weather', tool: 'forecast' }, verdict: 'allow' }] } } });
  });

  test.skipIf(process.platform !== 'linux')("a server's words pass for a line of Bursar's, or move the cursor of the terminal", async () => {
    const terminal = openTerminal(['--home', home, 'approvals', 'approve', id]);
    await terminal.saw('Passphrase: ');
    terminal.type(`${passphrase}\r`);
    await terminal.saw('Type yes');
    terminal.type('\u0003');
    expect(await terminal.exited).toBe(1);
    const shown = terminal.printed().replaceAll('\r', '');
    expect(shown).toContain('  | A forecast.\n  |   Pay to   0x0000000000000000000000000000000000000bad');
    expect(shown).not.toMatch(/^ {2}Pay to +0x0000/m);
    expect(shown.slice(0, shown.lastIndexOf(USDC_ON_BASE.payee))).not.toMatch(/\u001b|\u009b/);
    expect(answered).toBeUndefined();
  });
});

describe('play money', () => {
  let app: AppProcess;
  const cli = (...words: string[]) => runCli(['--home', app.home, ...words]);
  const waiting = async () => (JSON.parse(await cli('approvals', 'list', '--json')) as { waiting: WaitingView[] }).waiting;
  const payments = async () => (JSON.parse(await cli('history', '--json')) as { payments: PaymentView[] }).payments;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(async () => {
    await app.stop();
    rmSync(app.home, { recursive: true, force: true });
  });

  test('a script cannot answer, answers another payment than it named, or a refused payment is paid', async () => {
    const agent = await httpAgent(app);
    const ask = (longitude: number) => agent.call('sun_times', { latitude: 52.5, longitude, date: '2026-06-21' });
    const calls = [ask(1), ask(2)];
    await expect.poll(waiting, { timeout: 15_000 }).toHaveLength(2);
    const [oldest, second] = await waiting();
    await expect(cli('approvals', 'approve', second!.paymentId)).rejects.toThrow(/ended with 1: .*--yes answers without asking/);
    expect(JSON.parse(await cli('approvals', 'approve', second!.paymentId, '--yes', '--json'))).toEqual({ paymentId: second!.paymentId, decision: 'approve' });
    expect(await cli('approvals', 'reject', oldest!.paymentId)).toContain('Nothing was paid.');
    const answers = await Promise.all(calls);
    expect(answers.filter(({ result }) => result?.isError)).toHaveLength(1);
    expect(new Map((await payments()).map(({ id, columns }) => [id, columns.decision]))).toEqual(new Map([[oldest!.paymentId, 'rejected'], [second!.paymentId, 'approved']]));
    expect((await payments()).find(({ id }) => id === oldest!.paymentId)?.columns.money).toBe('none');
    await expect(cli('approvals', 'approve', second!.paymentId, '--yes')).rejects.toThrow(/ended with 1: .*No payment .* waits/);
  });

  test('a rule that a command saves is another than it showed, outlives its amount, or a blocked server is paid', async () => {
    const agent = await httpAgent(app);
    const ask = (longitude: number) => agent.call('moon_phase', { date: `2026-06-${10 + longitude}` });
    const first = ask(1);
    await expect.poll(waiting, { timeout: 15_000 }).toHaveLength(1);
    const [{ paymentId, money }] = (await waiting()) as [WaitingView];
    const price = formatUnits(BigInt(money.units), money.asset.decimals);
    await expect(cli('approvals', 'approve', paymentId, '--always-up-to', 'lots', '--yes')).rejects.toThrow(/ended with 2/);
    await expect(cli('approvals', 'reject', paymentId, '--block')).rejects.toThrow(/ended with 1: .*no terminal/);
    const approved = JSON.parse(await cli('approvals', 'approve', paymentId, '--always-up-to', price, '--yes', '--json')) as { policy: number };
    expect(approved).toEqual({ paymentId, decision: 'approve', policy: 2 });
    expect((await first).result?.isError ?? false).toBe(false);
    const { policy } = JSON.parse(await cli('policy', 'show', '--json')) as { policy: Policy };
    expect(policy.rules).toMatchObject([{ when: { upstream: 'demo', tool: 'moon_phase', client: 'default' }, verdict: 'allow' }]);
    expect(policy.caps.at(-1)).toMatchObject({ over: { upstream: 'demo', tool: 'moon_phase' }, window: 'day', amount: price });
    // What was allowed a day is spent.
    expect(JSON.stringify((await ask(2)).result)).toContain('BUDGET_EXCEEDED');

    const second = agent.call('sun_times', { latitude: 1, longitude: 1, date: '2026-06-21' });
    await expect.poll(waiting, { timeout: 15_000 }).toHaveLength(1);
    const [{ paymentId: other }] = (await waiting()) as [WaitingView];
    expect(JSON.parse(await cli('approvals', 'reject', other, '--block', '--yes', '--json'))).toEqual({ paymentId: other, decision: 'reject', policy: 3 });
    expect(JSON.stringify((await second).result)).toContain('POLICY_DENIED');
    // A tool without a limit of its own: limits are read before rules.
    expect(JSON.stringify((await agent.call('sun_times', { latitude: 2, longitude: 2, date: '2026-06-21' })).result)).toContain('POLICY_DENIED');
  });
});
