import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Policy } from '../../../src/shared/policy/policy.ts';
import { startApp, type AppProcess } from '../../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../../support/approval-socket.ts';
import { addClient, allowEverything, ownerContract, type OwnerContract } from '../../support/contract.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { sandboxEnv } from '../../support/sandbox-env.ts';

/** Sending money through the whole application: MCP tools, the approval page, the owner's contract, real chains. */

const EVM = 'eip155:84532';
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

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
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const call = async (name: string, args: Record<string, unknown> = {}): Promise<Result> => (await agent.callTool({ name, arguments: args })) as unknown as Result;
const text = ({ content }: Result): string => content[0]?.text ?? '';
const rows = async () => (await contract.request('payments.list', {})).payments;
const evmStranger = () => evmAccount(random(32)).address;
const solanaStranger = async () => (await solanaAccount(random(32))).address;

async function open(): Promise<void> {
  await openBlind();
  owner = await openApprovalSocket(app.dashboard);
}

/** Without anybody who could be asked. */
async function openBlind(home?: string, failpoint?: string): Promise<void> {
  app = await startApp({ build: 'out-test', env: { ...env, ...(failpoint !== undefined && { BURSAR_FAILPOINT: failpoint }) }, ...(home !== undefined && { home }) });
  contract = await ownerContract(app.home);
  if (home === undefined) token = await addClient(contract, 'agent', ['payment_context:read', 'x402:execute', 'contact_payments:write', 'address_payments:write']);
  agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(app.mcp), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  await agent.listTools();
}

async function setPolicy(change: Partial<Policy>): Promise<void> {
  const { number, policy } = await contract.request('policy.get', {});
  await contract.request('policy.set', { basedOn: number, policy: { ...policy, ...change } });
}

/** What an owner sets who lets agents send to contacts by themselves: a limit on what is sent, and one on the networks' fees. */
const sendsAllowed = (tool: string): Partial<Policy> => ({
  caps: [
    { over: { upstream: 'bursar' }, window: 'day', unit: `${EVM}/erc20:0x036CbD53842c5426634e7929541eC2318f3dCF7e`, amount: '100' },
    { over: {}, window: 'day', unit: `${EVM}/erc20:0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE`, amount: '1' },
    { over: {}, window: 'day', unit: `${SOLANA}/token:11111111111111111111111111111111`, amount: '1' },
  ],
  rules: [{ when: { tool }, verdict: 'allow' }],
});

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true });
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());
afterEach(async () => {
  void agent.close().catch(() => undefined);
  owner?.close();
  owner = undefined;
  contract.close();
  await app.stop();
});

describe('an agent', () => {
  test('I7: sends to an address that no rule names, without the owner; or what was agreed is not what moves', async () => {
    await open();
    await allowEverything(contract);
    const address = evmStranger();
    const sent = call('send_to_address', { address, amount: '0.90', memo: 'rent for May' });
    const approval = await owner!.decide('approve');
    expect(approval).toMatchObject({
      upstream: 'bursar', tool: 'send_to_address', payee: address, dialect: 'order', money: { units: '900000', asset: { symbol: 'USDC', network: EVM } },
      order: { recipient: address, memo: 'rent for May', byOwner: false, warnings: [] }, rule: expect.stringMatching(/^Asks because/), fees: [{ asset: { symbol: 'ETH' } }],
    });
    const result = await sent;
    expect(result.structuredContent).toMatchObject({ status: 'sent', paymentType: 'direct', recipient: address, amount: '0.9', token: 'USDC', network: 'Base Sepolia', memo: 'rent for May', transactionId: expect.stringMatching(/^0x/) });
    expect(await sandbox.balance(EVM, address)).toBe(900_000n);
    await expect.poll(rows).toMatchObject([{ status: 'delivered', transaction: result.structuredContent?.['transactionId'], payee: address }]);
    expect((await contract.request('payments.detail', { paymentId: (await rows())[0]!.id })).payment).toMatchObject({ upstream: 'bursar', order: { recipient: address, memo: 'rent for May' } });
  });

  test('is told of a contact’s e-mail address or where they are paid; or a contact on Solana without a token account is not paid, or its rent not shown', async () => {
    await open();
    const address = await solanaStranger();
    const { number } = await contract.request('contacts.add', { name: 'Ada', email: 'ada@example.com', phone: '+4930123456', addresses: [{ chain: 'solana', address }] });
    const context = await call('get_payment_context');
    expect(context.structuredContent).toMatchObject({ money: 'play', paused: false, locked: false, contacts: [{ number, name: 'Ada', payable: 'direct' }], capabilities: { sendToContact: true, sendToAddress: true }, networks: expect.arrayContaining(['Base Sepolia']) });
    expect(JSON.stringify(context)).not.toMatch(/ada@example|\+4930123456/);
    expect(JSON.stringify(context)).not.toContain(address);

    const sent = call('send_to_contact', { contact_number: number, amount: 0.8, memo: 'lunch' });
    expect(await owner!.decide('approve')).toMatchObject({ order: { recipient: `contact ${number} (Ada)` }, payee: address, fees: [{ asset: { symbol: 'SOL' }, rentUnits: '2039280' }] });
    expect((await sent).structuredContent).toMatchObject({ status: 'sent', paymentType: 'direct', contact: { number, name: 'Ada' }, recipient: address, amount: '0.8' });
    expect(await sandbox.balance(SOLANA, address)).toBe(800_000n);
  });

  test('I1: an order that waits is sent twice, or never, by calling again and by payment_resume', async () => {
    await open();
    const config = { address: evmStranger(), amount: '0.25', memo: 'once' };
    // Written otherwise, and the same order.
    const calls = [call('send_to_address', config), call('send_to_address', { memo: 'once', amount: 0.25, address: config.address.toLowerCase() })];
    const { paymentId } = await owner!.current();
    const resumed = call('payment_resume', { paymentId });
    await owner!.decide('approve');
    const results = await Promise.all(calls);
    for (const result of results) expect(result.structuredContent).toMatchObject({ status: 'sent', paymentId });
    // It may have come after the money moved and the answer was given: then there is nothing left to resume.
    expect(JSON.stringify(await resumed)).toMatch(/"tool":"send_to_address"|nothing to resume/);
    expect(await sandbox.balance(EVM, config.address)).toBe(250_000n);
    expect(await rows()).toHaveLength(1);

    const again = call('send_to_address', config);
    expect((await owner!.decide('reject')).rule).toBe('Asks because the very same was sent less than 15 minutes ago');
    expect(text(await again)).toMatch(/^The owner rejected it\..*APPROVAL_REJECTED/);
    expect(await sandbox.balance(EVM, config.address)).toBe(250_000n);
  });

  test('a wrong order makes a row, asks the owner, or moves money; or the agent is not told what is wrong', async () => {
    await open();
    const good = evmStranger();
    const wrong = good.replace(/[a-f]/i, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
    const { accounts } = await contract.request('accounts.list', {});
    const own = accounts.find(({ namespace }) => namespace === 'eip155')!.address;
    const { number } = await contract.request('contacts.add', { name: 'Bob', addresses: [{ chain: 'eip155:8453', address: good }] });
    const sends: [Record<string, unknown>, RegExp][] = [
      [{ address: `${good}0`, amount: '1' }, /has 41 digits after 0x.*ADDRESS_INVALID/],
      [{ address: wrong, amount: '1' }, /wrong checksum.*ADDRESS_INVALID/],
      [{ address: `0x${'0'.repeat(40)}`, amount: '1' }, /nobody has.*ADDRESS_INVALID/],
      [{ address: 'ada.eth', amount: '1' }, /looks no names up.*ADDRESS_INVALID/],
      [{ address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', amount: '1' }, /Token Program and no wallet.*ADDRESS_INVALID/],
      [{ address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', amount: '1' }, /token USDC itself.*ADDRESS_INVALID/],
      [{ address: good, amount: '1', network: 'Solana Devnet' }, /another kind of network.*ADDRESS_INVALID/],
      [{ address: good, amount: '1', network: 'Base' }, /Base is not enabled here.*Enabled here: .*NETWORK_UNSUPPORTED/],
      [{ address: good, amount: '1', network: 'Atlantis' }, /no network "Atlantis".*NETWORK_UNSUPPORTED/],
      [{ address: good, amount: '1', token: 'DOGE' }, /no token DOGE on Base Sepolia.*ASSET_UNKNOWN/],
      [{ address: good, amount: '0.0000001' }, /more decimal places than USDC on Base Sepolia has, which are 6.*AMOUNT_INVALID/],
      [{ address: good, amount: '0.00' }, /more than zero.*AMOUNT_INVALID/],
      [{ address: good, amount: '-1' }, /below zero.*AMOUNT_INVALID/],
      [{ address: good, amount: -1 }, /below zero.*AMOUNT_INVALID/],
      [{ address: good, amount: '1e3' }, /not a decimal number.*AMOUNT_INVALID/],
      [{ address: own, amount: '1' }, /is an account of this wallet.*PAYEE_INVALID/],
    ];
    for (const [args, words] of sends) expect([args, text(await call('send_to_address', { memo: 'x', ...args }))]).toEqual([args, expect.stringMatching(words)]);
    expect(text(await call('send_to_contact', { contact_number: number, amount: '1', memo: 'x' }))).toMatch(/Contact 1 \(Bob\) has no address on any network that is enabled here, and no e-mail address either.*CONTACT_UNPAYABLE/);
    expect(text(await call('send_to_contact', { contact_number: 99, amount: '1', memo: 'x' }))).toMatch(/no contact 99.*NOT_FOUND/);
    expect(await rows()).toEqual([]);

    // What the account holds is asked of the chain, so that this one is written down.
    expect(text(await call('send_to_address', { address: good, amount: '1000000', memo: 'x' }))).toMatch(/^The account 0x.* holds .* USDC, and 1000000\.00 USDC is asked.*INSUFFICIENT_BALANCE/);
    expect(await rows()).toMatchObject([{ status: 'denied', reasonCode: 'INSUFFICIENT_BALANCE' }]);
    expect(await sandbox.balance(EVM, good)).toBe(0n);
  });

  test('a contact, once removed, gives its number to another', async () => {
    await open();
    const first = await contract.request('contacts.add', { name: 'Ada' });
    await contract.request('contacts.remove', { number: first.number });
    expect((await contract.request('contacts.add', { name: 'Bob' })).number).toBe(first.number + 1);
  });
});

describe('the owner', () => {
  test('sends without their own limits and approval, or the quote says something else than what is asked', async () => {
    await open();
    const address = await solanaStranger();
    const input = { to: { address }, amount: '0.75', memo: 'to my other wallet' };
    const quote = await contract.request('sends.quote', input);
    expect(quote).toMatchObject({ payee: address, money: { units: '750000', asset: { network: SOLANA } }, fees: [{ rentUnits: '2039280' }], warnings: [] });
    expect(await rows()).toEqual([]);
    const sending = contract.request('sends.send', input);
    const approval = await owner!.decide('approve');
    expect(approval).toMatchObject({ client: 'cli', tool: 'send', payee: address, payer: quote.payer, fees: quote.fees, order: { byOwner: true } });
    expect(await sending).toMatchObject({ payee: address, paymentType: 'direct', money: { units: '750000' } });
    expect(await sandbox.balance(SOLANA, address)).toBe(750_000n);
    await expect(contract.request('sends.send', { ...input, amount: '1000000' })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await expect(contract.request('sends.send', { ...input, amount: '1.01' })).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  });
});

describe.each([
  { chain: 'EVM', network: EVM, namespace: 'eip155', stranger: async () => evmStranger() },
  { chain: 'Solana', network: SOLANA, namespace: 'solana', stranger: solanaStranger },
] as const)('I1: killed while it sends on $chain', ({ network, namespace, stranger }) => {
  test.each(['proof-signed', 'journal-committed', 'payment-submitted', 'answer-read', 'answer-journaled', 'answer-written'])('at %s, and called again: sends twice, or never', async (failpoint) => {
    await openBlind(undefined, failpoint);
    const address = await stranger();
    const { number } = await contract.request('contacts.add', { name: 'Ada', addresses: [{ chain: namespace, address }] });
    await setPolicy(sendsAllowed('send_to_contact'));
    const order = { contact_number: number, amount: '0.5', memo: 'again' };
    void call('send_to_contact', order).catch(() => 'connection broke');
    expect(await app.exited).toBe('SIGKILL');
    void agent.close().catch(() => undefined);
    contract.close();

    await openBlind(app.home);
    const again = call('send_to_contact', order);
    expect((await again).structuredContent).toMatchObject({ status: 'sent', recipient: address, amount: '0.5' });
    expect(await sandbox.balance(network, address)).toBe(500_000n);
    const made = await rows();
    expect(made.filter(({ columns }) => columns.money === 'settled')).toHaveLength(1);
  });
});
