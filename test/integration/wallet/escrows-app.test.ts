import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import type { ClaimMessage, EscrowView } from '../../../src/shared/contract/escrows.ts';
import { readClaimLink } from '../../../src/shared/escrow/claim-link.ts';
import { runCli, startApp, type AppProcess } from '../../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../../support/approval-socket.ts';
import { addClient, ownerContract, type OwnerContract } from '../../support/contract.ts';
import { claimLinkIn, startMailCatcher } from '../../support/mail-catcher.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { sandboxEnv } from '../../support/sandbox-env.ts';

/** Payments to people without a wallet through the whole application: MCP tools, the approval page, the command line, kills, real chains. */

const EVM = 'eip155:84532';
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const PAGE = 'https://claims.example/pay/';

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let contract: OwnerContract;
let owner: ApprovalSocket | undefined;
let agent: Client;
let token: string;

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

const call = async (name: string, args: Record<string, unknown> = {}): Promise<Result> => (await agent.callTool({ name, arguments: args })) as unknown as Result;
const run = (...words: string[]): Promise<string> => runCli(['--home', app.home, ...words]);
const json = async <T>(...words: string[]): Promise<T> => JSON.parse(await run(...words, '--json')) as T;
const escrows = async (): Promise<readonly EscrowView[]> => (await contract.request('escrows.list', {})).escrows;

async function open({ home, failpoint, build = 'out' }: { home?: string; failpoint?: string; build?: 'out' | 'out-test' } = {}): Promise<void> {
  app = await startApp({ build, env: { ...env, ...(failpoint !== undefined && { BURSAR_FAILPOINT: failpoint }) }, ...(home !== undefined && { home }) });
  contract = await ownerContract(app.home);
  if (home === undefined) token = await addClient(contract, 'agent', ['payment_context:read', 'contact_payments:write', 'email_payments:write', 'sms_payments:write']);
  agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(app.mcp), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  await agent.listTools();
}

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true });
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());
afterEach(async () => {
  owner?.close();
  owner = undefined;
  await agent?.close().catch(() => {});
  contract?.close();
  await app?.stop();
});

test('I6, I7: an agent pays somebody by e-mail without the owner, or is told the link; or the recipient cannot claim', async () => {
  await open();
  owner = await openApprovalSocket(app.dashboard);
  expect(await call('send_to_email', { email: 'ada@example.org', amount: '0.25' })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('CLAIM_PAGE_MISSING') }] });
  expect(await json('escrow', 'page', PAGE, '--days', '7')).toMatchObject({ pageUrl: PAGE, expiryDays: 7, mail: null });
  expect(await call('send_to_email', { email: 'no address', amount: '0.25' })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('RECIPIENT_INVALID') }] });

  const answers: Result[] = [];
  for (const [args, network, to] of [
    [{ tool: 'send_to_email', email: 'ada@example.org' }, EVM, evmAccount(random(32)).address],
    [{ tool: 'send_to_sms', phone: '+49 151 2345 6789' }, SOLANA, (await solanaAccount(random(32))).address],
  ] as const) {
    const { tool, ...recipient } = args;
    const asked = call(tool, { ...recipient, amount: '0.25', memo: 'for lunch', network });
    const approval = await owner.decide('approve');
    const shown = JSON.stringify(approval);
    expect(shown).toContain(tool === 'send_to_email' ? 'ada@example.org' : '+4915123456789');
    expect(shown).toContain('by a claim link until');
    expect(approval.order).toMatchObject({ memo: 'for lunch', byLink: true });
    // On Solana: two token accounts, the escrow itself, and two fees beside the transaction's own.
    if (network === SOLANA) expect(approval.fees).toMatchObject([{ asset: { symbol: 'SOL' }, rentUnits: String(2n * 2_039_280n + 890_880n + 2n * 5_001n) }]);
    const result = await asked;
    answers.push(result);
    expect(result.structuredContent).toMatchObject({ status: 'funded', escrowId: expect.stringMatching(/^esc_/), transactionId: expect.stringMatching(/^\w{64,90}$/), amount: '0.25', token: 'USDC', memo: 'for lunch' });

    const [row] = await escrows();
    expect(row).toMatchObject({ id: result.structuredContent?.['escrowId'], state: 'funded', memo: 'for lunch', money: { units: '250000' } });
    expect(await sandbox.balance(network, row?.address ?? '')).toBe(250_000n);
    const message = await json<ClaimMessage>('escrow', 'link', row?.id ?? '');
    answers.push(await call('payment_status', { paymentId: result.structuredContent?.['paymentId'] }));
    expect(message.link.startsWith(`${PAGE}#1.`)).toBe(true);
    expect(tool === 'send_to_email' ? message.mailto : message.sms).toMatch(/^(?:mailto:ada@example\.org\?subject=|sms:\+4915123456789\?body=)/);
    expect(JSON.parse(await runCli(['--home', app.home, 'claim', '-', '--to', to, '--json'], { input: message.link }))).toMatchObject({ to, money: { units: '250000' } });
    expect(await sandbox.balance(network, to)).toBe(250_000n);
    await expect(run('claim', message.link, '--to', to)).rejects.toThrow(/claimed already.*CLAIM_GONE/);
    await expect(run('escrow', 'refund', row?.id ?? '')).rejects.toThrow(/claimed already.*CLAIM_GONE/);

    const { secret } = readClaimLink(message.link);
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(JSON.stringify(answers)).not.toContain(`${PAGE}#`);
    const paths = readdirSync(app.home, { recursive: true, encoding: 'utf8' }).map((name) => join(app.home, name));
    for (const path of paths.filter((one) => statSync(one).isFile())) {
      const file = readFileSync(path);
      expect([path, file.includes(secret) || file.includes(Buffer.from(secret, 'hex')) || file.includes(message.link.slice(message.link.indexOf('#')))]).toEqual([path, false]);
    }
  }
});

test('the owner who sends to an e-mail address or a phone is not told the cost before, or is not asked', async () => {
  await open();
  owner = await openApprovalSocket(app.dashboard);
  await expect(run('send-email', 'eve@example.org', '0.5', '--quote')).rejects.toThrow(/CLAIM_PAGE_MISSING/);
  await run('escrow', 'page', PAGE);
  await expect(contract.request('escrows.quote', { kind: 'sms', to: '030 1234567', amount: '0.5' })).rejects.toThrow(/country code/);
  const before = (await escrows()).length;
  const order = { kind: 'sms', to: '+49 151 9876543', amount: '0.5', memo: 'tickets', network: 'Solana Devnet' } as const;
  const quote = await contract.request('escrows.quote', order);
  expect(quote).toMatchObject({ paymentType: 'escrow', recipient: expect.stringContaining('+491519876543'), payee: '', claimableUntil: expect.any(Number), money: { units: '500000' }, fees: [{ asset: { symbol: 'SOL' }, rentUnits: String(2n * 2_039_280n + 890_880n + 2n * 5_001n) }] });
  expect(await run('send-email', 'eve@example.org', '0.5', '--network', 'Base Sepolia', '--quote')).toMatch(/eve@example\.org[^]*By escrow[^]*Nothing was sent\./);
  expect((await escrows()).length).toBe(before);
  const sending = contract.request('escrows.send', { ...order, network: quote.money.asset.network, from: quote.payer });
  expect(JSON.stringify(await owner.decide('approve'))).toContain('+491519876543');
  const sent = await sending;
  expect(sent.escrow).toMatchObject({ state: 'funded', kind: 'sms', recipient: '+491519876543', memo: 'tickets' });
  expect(await sandbox.balance(SOLANA, sent.escrow.address)).toBe(500_000n);
});

test('a contact without an address is not paid by escrow, or the owner cannot take the money back', async () => {
  await open();
  owner = await openApprovalSocket(app.dashboard);
  await run('escrow', 'page', PAGE);
  await run('contact', 'add', 'Bob', '--email', 'bob@example.org');
  // What it costs is known before anything is asked of anybody: on Solana with rent and the escrow's own fees.
  const quote = await json<RouteOutput<'sends.quote'>>('send', 'contact:1', '0.5', '--network', 'Solana Devnet', '--quote');
  expect(quote).toMatchObject({ paymentType: 'escrow', recipient: expect.stringContaining('bob@example.org'), payee: '', claimableUntil: expect.any(Number), money: { units: '500000' }, fees: [{ asset: { symbol: 'SOL' }, rentUnits: String(2n * 2_039_280n + 890_880n + 2n * 5_001n) }], warnings: [] });
  expect(await run('send', 'contact:1', '0.5', '--network', 'Base Sepolia', '--quote')).toMatch(/By escrow[^]*Network fee[^]*Nothing was sent\./);
  expect(await escrows()).toEqual([]);
  const asked = call('send_to_contact', { contact_number: 1, amount: '0.5', memo: 'rent', network: 'Base Sepolia' });
  await owner.decide('approve');
  const result = await asked;
  expect(result.structuredContent).toMatchObject({ status: 'sent', paymentType: 'escrow', escrowId: expect.stringMatching(/^esc_/), contact: { number: 1, name: 'Bob' }, amount: '0.5' });
  const [row] = await escrows();
  expect(row).toMatchObject({ recipient: 'bob@example.org', recipientName: 'Bob', state: 'funded' });
  expect(['refunding', 'refunded']).toContain((await json<EscrowView>('escrow', 'refund', row?.id ?? '')).state);
  expect(await sandbox.balance(EVM, row?.address ?? '')).toBe(0n);
  await sandbox.time.advanceEvm(2);
  await expect.poll(async () => (await escrows())[0]?.state, { timeout: 30_000, interval: 250 }).toBe('refunded');
  expect(await json('escrow', 'list')).toMatchObject({ escrows: [{ id: row?.id, state: 'refunded' }] });

  const folder = join(app.home, '..', `page-${Date.now()}`);
  const written = await json<{ files: readonly string[] }>('claim-page', folder);
  expect(written.files).toContain('index.html');
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain(sandbox.facilitatorUrl);
  await expect(run('escrow', 'page', 'http://claims.example/')).rejects.toThrow(/https address/);
  // A link that is read on its way is money that is taken.
  for (const host of ['mail.example.org', '192.168.1.5', '127.0.0.1.example.org']) await expect(run('mail', 'set', host, '--plain', '--from', 'owner@example.org')).rejects.toThrow(/on the way to .*INPUT_INVALID/);
  expect(await run('mail', 'set', '127.0.0.1', '--plain', '--port', '2525', '--from', 'owner@example.org')).toContain('127.0.0.1:2525');
  await expect(run('escrow', 'resend', row?.id ?? '')).rejects.toThrow(/taken back already.*CLAIM_GONE/);
});

describe('I1: a process that is killed', () => {
  for (const failpoint of ['budget-reserved', 'journal-committed', 'payment-submitted']) {
    test(`at ${failpoint} funds two escrows for one order, or loses the one`, async () => {
      await open({ failpoint, build: 'out-test' });
      await contract.request('escrows.setPage', { pageUrl: PAGE });
      await contract.request('contacts.add', { name: 'Ada', email: 'ada@example.org', phone: '', note: '', addresses: [] });
      const { number, policy } = await contract.request('policy.get', {});
      const caps = [{ over: {}, window: 'day' as const, unit: `${EVM}/erc20:0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE`, amount: '1' }];
      // What asks reserves before the owner answers; what is allowed does it with the signature.
      const rules = failpoint === 'budget-reserved' ? [] : [{ when: { tool: 'send_to_email' }, verdict: 'allow' as const }];
      await contract.request('policy.set', { basedOn: number, policy: { ...policy, caps, rules } });
      const order = { email: 'ada@example.org', amount: '0.25', memo: 'once', network: EVM };
      call('send_to_email', order).catch(() => {});
      expect(await app.exited).toBe('SIGKILL');
      await agent.close().catch(() => {});
      contract.close();

      await open({ home: app.home, build: 'out-test' });
      owner = failpoint === 'budget-reserved' ? await openApprovalSocket(app.dashboard) : undefined;
      const again = call('send_to_email', order);
      await owner?.decide('approve');
      const result = await again;
      expect(result.structuredContent).toMatchObject({ status: 'funded' });
      const funded = (await escrows()).filter(({ state }) => state !== 'dead');
      expect(funded.map(({ id }) => id)).toEqual([result.structuredContent?.['escrowId']]);
      const held = await Promise.all((await escrows()).map(({ address }) => sandbox.balance(EVM, address)));
      expect(held.reduce((sum, one) => sum + one, 0n)).toBe(250_000n);
      const { link } = await contract.request('escrows.link', { id: funded[0]?.id ?? '' });
      const { address: to } = evmAccount(random(32));
      await contract.request('escrows.claim', { link, to });
      expect(await sandbox.balance(EVM, to)).toBe(250_000n);
    });
  }
});

describe.each([
  { chain: 'EVM', network: EVM, namespace: 'eip155', stranger: async () => evmAccount(random(32)).address },
  { chain: 'Solana', network: SOLANA, namespace: 'solana', stranger: async () => (await solanaAccount(random(32))).address },
] as const)('a process that is killed on $chain', ({ network, namespace, stranger }) => {
  const order = { email: 'ada@example.org', amount: '0.25', memo: 'once', network };
  const caps = [EVM, SOLANA].map((each) => ({ over: {}, window: 'day' as const, unit: `${each}/${each === EVM ? 'erc20:0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' : 'token:11111111111111111111111111111111'}`, amount: '1' }));

  /** An owner who lets the agent send by itself. Gives what the account that pays holds. */
  async function openAllowed(failpoint: string): Promise<{ readonly payer: string; readonly before: bigint }> {
    await open({ failpoint, build: 'out-test' });
    await contract.request('escrows.setPage', { pageUrl: PAGE });
    await contract.request('contacts.add', { name: 'Ada', email: order.email, phone: '', note: '', addresses: [] });
    const { number, policy } = await contract.request('policy.get', {});
    await contract.request('policy.set', { basedOn: number, policy: { ...policy, caps, rules: [{ when: { tool: 'send_to_email' }, verdict: 'allow' as const }] } });
    const payer = (await contract.request('accounts.list', {})).accounts.find((account) => account.namespace === namespace)!.address;
    return { payer, before: await sandbox.balance(network, payer) };
  }
  async function killed(): Promise<void> {
    expect(await app.exited).toBe('SIGKILL');
    await agent.close().catch(() => {});
    contract.close();
  }
  const finalize = async () => {
    await sandbox.time.advanceEvm(2);
    sandbox.time.advanceSolana(40);
  };

  test.each(['refund-journaled', 'refund-moved'])('I1, I10: at %s, takes the money back twice, or never', async (failpoint) => {
    const { payer, before } = await openAllowed(failpoint);
    expect((await call('send_to_email', order)).structuredContent).toMatchObject({ status: 'funded' });
    const [{ id, address }] = (await escrows()) as [EscrowView];
    void contract.request('escrows.refund', { id }).catch(() => 'connection broke');
    await killed();
    expect(await sandbox.balance(network, address)).toBe(failpoint === 'refund-moved' ? 0n : 250_000n);

    await open({ home: app.home, build: 'out-test' });
    await expect.poll(async () => (await finalize(), (await escrows())[0]?.state), { timeout: 40_000, interval: 500 }).toBe('refunded');
    expect([await sandbox.balance(network, payer), await sandbox.balance(network, address)]).toEqual([before, 0n]);
  });

  test.each(['mail-sending', 'mail-sent'])('I9: at %s, loses the money, mails a second time by itself, or says that nothing went out', async (failpoint) => {
    const mail = await startMailCatcher();
    try {
      await openAllowed(failpoint);
      await contract.request('escrows.setMail', { mail: { host: '127.0.0.1', port: mail.port, plain: true, from: 'owner@example.org' } });
      void call('send_to_email', order).catch(() => 'connection broke');
      await killed();
      const went = failpoint === 'mail-sent' ? 1 : 0;
      expect(mail.caught).toHaveLength(went);

      await open({ home: app.home, build: 'out-test' });
      const [{ id, address }] = (await escrows()) as [EscrowView];
      expect(await sandbox.balance(network, address)).toBe(250_000n);
      // The sweep at start-up has seen it, and leaves it to the owner.
      await expect.poll(async () => (await escrows())[0], { timeout: 20_000 }).toMatchObject({ state: 'funded', delivery: 'failed', deliveryError: expect.stringContaining('may have gone out') });
      expect(mail.caught).toHaveLength(went);
      expect((await call('send_to_email', order)).structuredContent).toMatchObject({ escrowId: id });
      expect(mail.caught).toHaveLength(went);

      await contract.request('escrows.resend', { id });
      expect((await escrows()).map(({ state, delivery, deliveryError }) => [state, delivery, deliveryError])).toEqual([['notified', 'sent', '']]);
      expect(new Set(mail.caught.map(claimLinkIn)).size).toBe(1);
      const to = await stranger();
      await contract.request('escrows.claim', { link: claimLinkIn(mail.caught[0]!), to });
      expect(await sandbox.balance(network, to)).toBe(250_000n);
    } finally {
      await mail.close();
    }
  });
});
