/* oxlint-disable unicorn/no-thenable -- a rule's verdict is called `then` in the policy document */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import { PaymentStatus, type PaymentView } from '../../../src/shared/contract/payments.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { anApproval } from '../../unit/renderer/support/approval.ts';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS, LONG_UNITS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const { money, payee, payer } = anApproval();

/** What the details of a payment have beside its terms. */
const NO_EXCHANGE = { fees: [], explorerUrl: '', argumentsText: '', proofText: '', receiptText: '', answerText: '' };

const aPayment = (index: number, changes: Partial<PaymentView> = {}): PaymentView => ({
  id: `pay_${index}`,
  createdAt: 1_700_000_000_000 - index,
  updatedAt: 1_700_000_000_000,
  client: 'Claude Desktop',
  upstream: 'demo',
  tool: `tool_${index}`,
  dialect: 'x402 v2',
  scheme: 'exact',
  money,
  payee,
  payer,
  status: 'delivered',
  columns: { decision: 'approved', money: 'settled', service: 'delivered' },
  reason: '',
  reasonCode: '',
  transaction: '',
  rule: '',
  ...changes,
});

describe.skipIf(findChromium() === undefined)('the dashboard in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let payments: PaymentView[];
  let policy: RouteOutput<'policy.get'>;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);

  afterAll(() => world?.close());

  beforeEach(() => {
    payments = PaymentStatus.options.map((status, index) => aPayment(index, { status }));
    policy = { number: 1, savedAt: 0, author: 'owner', policy: defaultPolicy('UTC') };
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment: 'sandbox', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'vault', locked: false, passphraseBeside: true }, networks: [], warnings: [] }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'accounts.list': () => ({ accounts: [], balances: [] }),
      'approvals.waiting': () => ({ waiting: [] }),
      'payments.spend': () => ({ unit: 'USD', todayUnits: '3420000', dayCapUnits: '10000000', byUpstream: [] }),
      'payments.list': ({ before, limit }: { before?: string; limit?: number }) => {
        const start = before === undefined ? 0 : payments.findIndex(({ id }) => id === before) + 1;
        const end = start + (limit ?? 50);
        return { payments: payments.slice(start, end), more: end < payments.length };
      },
      'payments.find': ({ offset = 0, limit = 100 }: { offset?: number; limit?: number }) => ({ payments: payments.slice(offset, offset + limit), count: payments.length, newest: payments.length }),
      'payments.totals': () => ({ tokens: [], usd: { movedUnits: '0', heldUnits: '0' }, unpriced: 0 }),
      'payments.spending': () => ({ days: [], servers: [] }),
      'policy.get': () => policy,
      'policy.review': () => ({ problems: [], loosens: [], against: policy.number }),
      'policy.simulate': () => ({ payments: [], counts: { allow: 0, ask: 0, deny: 0 }, notReplayed: [] }),
      'upstreams.health': () => ({ servers: [] }),
      'clients.access': () => ({ clients: [], tokenUrl: '' }),
      'delegations.list': () => ({ delegations: [], acts: [], unreachable: [] }),
      'requests.list': () => ({ requests: [] }),
      'upstreams.list': () => ({ upstreams: [{ name: 'demo', kind: 'http', address: 'http://127.0.0.1:2/mcp', enabled: true, mcpUrl: 'http://127.0.0.1:1/mcp/demo' }] }),
      'upstreams.prices': () => ({
        prices: [{ upstream: 'demo', tool: 'forecast', price: '0.01 USDC', dialects: ['x402-mcp'] }, { upstream: 'demo', tool: 'map', price: '', dialects: ['mpx'] }],
        more: 0,
        links: [{ upstream: 'demo', tool: 'invoice', kind: 'payment-link', url: 'https://pay.example/1', message: 'Pay here', at: 0 }],
      }),
      'clients.importable': () => ({ servers: [] }),
      'clients.list': () => ({ clients: [], snippets: { all: '{}', each: '{}' }, httpSnippet: '{}', httpUrl: 'http://127.0.0.1:1/mcp' }),
    });
  });

  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);

  test('shows spending anew when an event names it', async () => {
    page = await world.open();
    await page.getByText('$3.42', { exact: true }).waitFor();
    world.answers['payments.spend'] = () => ({ unit: 'USD', todayUnits: '5000000', dayCapUnits: '10000000', byUpstream: [] });
    world.emit('payments');
    await page.getByText('$5.00', { exact: true }).waitFor();
    expect(await page.getByRole('meter').getAttribute('aria-valuetext')).toBe('$5.00 of $10.00');
  });

  test('shows what a server\'s tools cost, and the pages that it asked the person to open', async () => {
    payments = [];
    page = await world.open({ hash: '#/servers' });
    await page.getByText('2 paid tools').click();
    const [forecast, map] = [page.getByRole('row', { name: /^forecast/ }), page.getByRole('row', { name: /^map/ })];
    await forecast.getByText('0.01 USDC', { exact: true }).waitFor();
    expect([await forecast.innerText(), await map.innerText()].map((text) => text.split(/\s*\t\s*/))).toEqual([['forecast', '0.01 USDC', 'Never'], ['map', 'Not listed', 'Never']]);
    payments = [aPayment(0, { tool: 'map', status: 'rejected', columns: { decision: 'rejected', money: 'none', service: 'open' }, money: { ...money, units: '990000' } }), aPayment(1, { tool: 'map' })];
    world.emit('payments');
    await map.getByText('0.01 USDC', { exact: true }).waitFor();
    await page.getByText('Pages it asked you to open').click();
    await page.getByText('https://pay.example/1', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: /pay\.example/ }).count()).toBe(0);
  });

  test('an approval is signed for terms that were not shown, or a request of an agent does more than what is shown', async () => {
    const asset = { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', networkName: 'Solana Devnet', address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', symbol: 'USDC', decimals: 6 };
    const of = (units: string) => ({ asset, units });
    const parties = { tokenAccount: 'TokenAccount1', owner: 'Owner1', ownerLabel: 'Savings', delegate: 'Agent1', delegateLabel: 'Agent' };
    const accounts = ['Owner1', 'Agent1'].map((address, at) => ({ id: address, label: at === 0 ? 'Savings' : 'Agent', namespace: 'solana', address, source: 'imported' }));
    const act = 'ab'.repeat(16);
    const request = { id: 'req_0123456789abcdef', client: 'Claude', granted: true, kind: 'approve', text: 'Let the account Agent1 spend 30.00 USDC on Solana Devnet, in place of what it may spend now.', reason: 'please', money: of('30000000'), network: asset.network, asset: asset.address, owner: 'Owner1', delegate: 'Agent1', state: 'waiting', outcome: '', createdAt: 0, expiresAt: 1 };
    const done = { act, kind: 'approve', money: of('15000000'), owner: 'Owner1', delegate: 'Agent1', state: 'final', why: '', transaction: 'tx', createdAt: 0 };
    Object.assign(world.answers, {
      'accounts.list': () => ({ accounts, balances: [] }),
      'delegations.list': () => ({ delegations: [{ ...parties, state: 'active', remaining: of('12340000'), approved: of('100000000'), balance: of('80000000'), frozen: false, pays: true }], acts: [], unreachable: [] }),
      'delegations.quote': ({ kind, amount }: { kind: string; amount: string }) => ({ ...parties, kind, money: of(`${amount}000000`), balance: of('80000000'), replaces: { delegate: 'Agent1', money: of('12340000') }, warnings: ['The new one replaces it and is not added to it.'], act, expiresAt: 1, fee: { asset: { ...asset, symbol: 'SOL', decimals: 9 }, units: '5001' } }),
      'delegations.approve': () => done,
      'requests.list': () => ({ requests: [request] }),
      'requests.approve': () => ({ request: { ...request, state: 'approved' }, act: done }),
    });
    onTestFinished(() => {
      for (const route of ['delegations.quote', 'delegations.approve', 'requests.approve'] as const) delete world.answers[route];
    });
    page = await world.open({ hash: '#/budgets' });
    const card = page.getByRole('region', { name: 'Limits on the chain' });
    await card.getByText('12.34 USDC of 100.00 left').waitFor();
    await card.getByText('A new approval replaces the old one.').waitFor();
    expect(await card.getByRole('meter').getAttribute('aria-valuenow')).toBe('876');

    await card.getByRole('button', { name: 'Replace it…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount, all together').fill('15');
    await dialog.getByRole('button', { name: 'Show the exact terms' }).click();
    await dialog.getByText('The new one replaces it and is not added to it.').waitFor();
    await dialog.getByText('15.00 USDC', { exact: true }).waitFor();
    expect(sent('delegations.approve')).toEqual([]);
    await dialog.getByRole('button', { name: 'Sign the approval' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('delegations.quote')).toEqual([{ kind: 'approve', owner: 'Owner1', delegate: 'Agent1', token: asset.address, network: asset.network, amount: '15' }]);
    expect(sent('delegations.approve')).toEqual([{ act }]);

    await page.getByText('Let the account Agent1 spend 30.00 USDC').waitFor();
    await page.getByRole('button', { name: 'Look at the terms…' }).click();
    await dialog.getByRole('button', { name: 'Show the exact terms' }).click();
    await dialog.getByRole('button', { name: 'Sign the approval' }).click();
    await expect.poll(() => sent('requests.approve')).toEqual([{ id: request.id, act }]);
    expect(sent('delegations.approve')).toHaveLength(1);
  });

  test('the transaction for another wallet is not shown in full, or something is signed here for it', async () => {
    const allowed = { asset: { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', networkName: 'Solana Devnet', address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', symbol: 'USDC', decimals: 6 }, units: '15000000' };
    const transaction = 'AQAB'.repeat(90);
    const signed = sent('delegations.approve').length;
    Object.assign(world.answers, {
      'accounts.list': () => ({ accounts: [{ id: 'a', label: 'Agent', namespace: 'solana', address: 'Agent1', source: 'imported' }], balances: [] }),
      'delegations.external': () => ({ kind: 'approve', money: allowed, tokenAccount: 'TokenAccount1', owner: 'Owner1', ownerLabel: '', delegate: 'Agent1', delegateLabel: 'Agent', balance: allowed, warnings: ['It holds less than that.'], transaction, description: ['Owner, who signs and pays the fee: Owner1', 'Nothing else is in the transaction.'], command: 'spl-token approve TokenAccount1 15 Agent1', steps: ['Sign it.', 'Look at the chain.'] }),
    });
    onTestFinished(() => {
      delete world.answers['delegations.external'];
    });
    page = await world.open({ hash: '#/budgets' });
    await page.getByRole('button', { name: 'For another wallet…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show the transaction' }).click();
    await dialog.getByText('Write its Solana address.').waitFor();
    await dialog.getByLabel('Wallet that holds the money').fill(' Owner1 ');
    await dialog.getByLabel('Amount, all together').fill('15');
    await dialog.getByRole('button', { name: 'Show the transaction' }).click();
    for (const words of ['It holds less than that.', 'Owner, who signs and pays the fee: Owner1', 'Nothing else is in the transaction.', 'Sign it.', 'spl-token approve TokenAccount1 15 Agent1', transaction]) await dialog.getByText(words, { exact: true }).waitFor();
    expect(sent('delegations.external')).toEqual([{ kind: 'approve', owner: 'Owner1', delegate: 'Agent1', amount: '15' }]);
    expect(await seriousViolations(page)).toEqual([]);
    expect(sent('delegations.approve').length).toBe(signed);
  });

  test('leaves the owner without a way to sign in to a server, or opens the page by itself', async () => {
    let state = 'needed';
    const server = () => ({ name: 'demo', kind: 'http', address: 'http://127.0.0.1:2/mcp', enabled: true, mcpUrl: 'http://127.0.0.1:1/mcp/demo', authorization: { kind: 'oauth', state, issuer: '', scope: '', why: state === 'needed' ? 'A call needs more rights than were granted.' : '' } });
    world.answers['upstreams.list'] = () => ({ upstreams: [server()] });
    world.answers['upstreams.authorize'] = () => {
      state = 'signing-in';
      return { url: 'https://auth.example/authorize?state=x', opened: false };
    };
    world.answers['upstreams.signOut'] = () => {
      state = 'needed';
      return {};
    };
    page = await world.open({ hash: '#/servers' });
    await page.getByText('It waits for you to sign in.').waitFor();
    await page.getByText('A call needs more rights than were granted.').waitFor();
    await page.getByRole('button', { name: 'Sign in to demo' }).click();
    const link = page.getByRole('link', { name: 'Open the sign-in page' });
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual(['https://auth.example/authorize?state=x', 'noopener noreferrer']);
    expect(page.context().pages()).toHaveLength(1);
    state = 'signed-in';
    world.emit('upstreams');
    await page.getByText('You are signed in to it.').waitFor();
    expect(await link.count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out of demo' }).click();
    await page.getByText('It waits for you to sign in.').waitFor();
    expect(sent('upstreams.signOut').at(-1)).toEqual({ name: 'demo' });
  });

  test('opens a payment by keyboard, follows its life, and gives the focus back', async () => {
    payments = [aPayment(0, { status: 'paying' })];
    page = await world.open({ hash: '#/history' });
    const row = page.locator('[role=row] button[aria-haspopup=dialog]');
    await row.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText(payee, { exact: true }).waitFor();
    payments = [aPayment(0, { status: 'undelivered', reason: 'The server took the money and ended.' })];
    world.emit('payments');
    await page.getByRole('dialog').getByText('The server took the money and ended.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => row.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test('hides the other ways to pay, why they were not taken, or lets their words out of their place', async () => {
    const offer = { scheme: 'exact', networkName: 'Base', units: '1', asset: '0xfake', payee, taken: false, why: '' };
    onTestFinished(() => void delete world.answers['payments.detail']);
    world.answers['payments.detail'] = () => ({
      payment: payments[0],
      timeline: [],
      final: false,
      cancellation: 'none',
      disputable: true,
      ...NO_EXCHANGE,
      challengeText: `{ "error": "${HOSTILE_TEXTS[1]}" }`,
      offers: [
        { ...offer, scheme: 'upto', why: 'It wants the payment scheme "upto".' },
        { ...offer, money, taken: true },
        { ...offer, asset: HOSTILE_TEXTS[0], why: 'Another one comes first in your order.' },
      ],
    });
    payments = [aPayment(0)];
    page = await world.open({ hash: '#/history' });
    await page.locator('[role=row] button[aria-haspopup=dialog]').click();
    const list = page.getByRole('list', { name: /What the server offered/ });
    await list.waitFor();
    expect(await list.getByRole('listitem').count()).toBe(3);
    expect(await list.innerText()).toMatch(/upto[\s\S]*payment scheme "upto"[\s\S]*Taken[\s\S]*Another one comes first/);
    expect(await list.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)).toBe(true);
  });

  test('a refusal hides what was asked, or says that the owner forbade it or that a transaction may come', async () => {
    const { money: _paid, ...row } = aPayment(0, {
      status: 'denied',
      columns: { decision: 'denied', money: 'none', service: 'open' },
      reason: 'The token is not the one that the registry knows.',
      reasonCode: 'ASSET_MISMATCH',
      dialect: 'x402-mcp',
      payee: '',
      payer: '',
      demanded: { money: { ...money, units: '20000' }, units: '20000', asset: money.asset.address, payee },
    });
    payments = [row];
    onTestFinished(() => void delete world.answers['payments.detail']);
    world.answers['payments.detail'] = () => ({ payment: row, timeline: [], final: false, cancellation: 'none', disputable: false, offers: [], ...NO_EXCHANGE, challengeText: '{ "x402Version": 2 }' });
    page = await world.open({ hash: '#/history' });
    await page.getByRole('table').getByText('0.02 USDC').waitFor();
    await page.locator('[role=row] button[aria-haspopup=dialog]').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What the server sent').click();
    await dialog.getByText('{ "x402Version": 2 }').waitFor();
    const shown = await dialog.innerText();
    for (const words of ['Refused by Bursar', 'lookalike', 'x402 (tool result)', '0.02 USDC']) expect(shown).toContain(words);
    expect(await dialog.getByText(payee, { exact: true }).count()).toBe(1);
    for (const words of ['None yet', 'Denied by', 'Not readable', 'ASSET_MISMATCH']) expect(shown).not.toContain(words);
    await dialog.getByText('Raw details').click();
    await dialog.getByText('ASSET_MISMATCH', { exact: true }).waitFor();
  });

  test('a payment that moved and got no answer has no evidence to copy', async () => {
    payments = [aPayment(0, { status: 'undelivered', columns: { decision: 'approved', money: 'settled', service: 'refused' } })];
    world.answers['payments.dispute'] = () => {
      throw new Refusal('INPUT_INVALID', 'not needed here');
    };
    onTestFinished(() => void delete world.answers['payments.dispute']);
    page = await world.open({ hash: '#/history' });
    await page.locator('[role=row] button[aria-haspopup=dialog]').click();
    await page.getByRole('dialog').getByText('Evidence', { exact: true }).waitFor();
  });

  test('a pause is seen on its own page alone, or cannot be ended elsewhere', async () => {
    policy = { ...policy, policy: { ...policy.policy, paused: true } };
    world.answers['policy.resume'] = () => (policy = { ...policy, number: 2, policy: { ...policy.policy, paused: false } });
    page = await world.open();
    for (const name of ['History', 'Connect', 'Overview']) {
      await page.getByRole('link', { name }).first().click();
      await page.getByText('All payments are paused').waitFor();
    }
    await page.getByRole('button', { name: 'Resume payments' }).click();
    await page.getByText('All payments are paused').waitFor({ state: 'hidden' });
    expect(policy.policy.paused).toBe(false);
  });

  test('what the policy says of paying cannot be seen', async () => {
    policy = {
      ...policy,
      policy: {
        ...policy.policy,
        paying: {
          accounts: [{ account: payer, max: { amount: '0.25', unit: 'USD' } }],
          openHosts: ['127.0.0.1:4021'],
          trusted: [{ asset: 'eip155:84532/erc20:0x70997970C51812dc3A010C7d01b50e0d17dc79C8', symbol: 'DEMO', decimals: 6, pegged: 'USD' }],
        },
      },
    };
    page = await world.open({ hash: '#/budgets' });
    const card = page.getByRole('region', { name: 'How payments are made' });
    await card.waitFor();
    for (const words of ['at most 0.25 USD a payment', '127.0.0.1:4021', 'DEMO, counts as US dollars', 'edit the JSON of the policy']) await card.getByText(words, { exact: false }).waitFor();
  });

  test('a card is said to be an account without a known token', async () => {
    const account = { label: 'Travel card', namespace: 'stripe', address: 'pm_card_visa', source: 'imported' };
    world.answers['accounts.list'] = () => ({ accounts: [{ id: 'a', ...account }, { id: 'b', ...account, label: 'Shared', namespace: 'dev' }], balances: [] });
    page = await world.open();
    await page.getByText('A card has no balance here', { exact: false }).waitFor();
    await page.getByText('No money moves.', { exact: false }).waitFor();
    expect(await page.getByText('No token is known').count()).toBe(0);
    expect(await page.getByText('Imported', { exact: true }).count()).toBe(0);
  });

  test('a row without an amount moves the columns of the latest payments', async () => {
    const { money: _none, ...unread } = aPayment(0, { status: 'denied', columns: { decision: 'denied', money: 'none', service: 'open' }, reasonCode: 'CHALLENGE_MALFORMED' });
    payments = [aPayment(1), unread, aPayment(2)];
    page = await world.open({ viewport: { width: 360, height: 800 } });
    const rows = page.getByRole('region', { name: 'Latest payments' }).getByRole('listitem');
    await rows.nth(2).waitFor();
    const lefts = await rows.evaluateAll((items) => items.map((item) => [item.children.length, item.querySelector('[title]')?.getBoundingClientRect().left]));
    expect(new Set(lefts.map(String)).size).toBe(1);
  });

  test('an empty configuration is there to copy', async () => {
    world.answers['upstreams.list'] = () => ({ upstreams: [] });
    world.answers['clients.list'] = () => ({ clients: [], snippets: { all: '{ "mcpServers": { "bursar-all": {} } }', each: '{ "mcpServers": {} }' }, httpSnippet: '{}', httpUrl: 'http://127.0.0.1:1/mcp' });
    page = await world.open({ hash: '#/connect' });
    // Bursar's own tools are there without any server.
    await page.getByText('bursar-all').waitFor();
    await page.getByRole('radio', { name: 'One entry for each server' }).check();
    await page.getByText('nothing to copy', { exact: false }).waitFor();
    expect(await page.getByText('mcpServers').count()).toBe(0);
  });

  test('test money is said to need a passphrase as real money does', async () => {
    world.answers['app.status'] = () => ({ version: '0.1.0', environment: 'testnet', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'vault', locked: true, passphraseBeside: false }, networks: [], warnings: [] });
    world.answers['owner.status'] = () => ({ passphraseSet: false, sessionNeeded: true, locked: true });
    page = await world.open();
    await page.getByText('No passphrase is set yet. It protects your keys.').waitFor();
    expect(await page.getByText('real money needs one').count()).toBe(0);
  });

  test('asks for the passphrase when main wants its owner, and saves what was edited', async () => {
    let unlocked = false;
    world.answers['owner.unlock'] = ({ passphrase }) => {
      if (passphrase !== 'right') throw new Refusal('PASSPHRASE_WRONG', 'The passphrase is wrong.');
      unlocked = true;
      return { passphraseSet: true, sessionNeeded: true, sessionUntil: 1, locked: false };
    };
    world.answers['policy.set'] = (input) => {
      if (!unlocked) throw new Refusal('OWNER_REQUIRED');
      return (policy = { ...policy, number: 2, policy: input['policy'] as typeof policy.policy });
    };
    page = await world.open({ hash: '#/budgets' });
    await page.getByRole('group', { name: 'demo' }).getByText('Deny').click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Passphrase').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The passphrase is wrong.').waitFor();
    await page.getByRole('dialog').getByLabel('Passphrase').fill('right');
    await page.keyboard.press('Enter');
    await page.getByText('Version 2,').waitFor();
    expect(sent('policy.set')).toHaveLength(2);
    expect(policy.policy).toEqual({ ...defaultPolicy('UTC'), rules: [{ when: { upstream: 'demo' }, verdict: 'deny' }] });
  });

  test('sets a first passphrase without the code of the terminal where main wants it', async () => {
    let setWith: Record<string, unknown> | undefined;
    world.answers['owner.status'] = () => ({ passphraseSet: setWith !== undefined, sessionNeeded: true, locked: setWith === undefined, ...(!setWith && { setupCodeNeeded: true }) });
    world.answers['owner.setPassphrase'] = (input) => {
      if (input['code'] !== 'ABCD-1234') throw new Refusal('SETUP_CODE_WRONG', 'That is not the setup code.');
      setWith = input;
      return { passphraseSet: true, sessionNeeded: true, sessionUntil: 1, locked: false };
    };
    page = await world.open();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Passphrase', { exact: true }).fill('correct horse');
    await dialog.getByLabel('Repeat the passphrase').fill('correct horse');
    await dialog.getByRole('button', { name: 'Set passphrase' }).click();
    await dialog.getByText('Copy it from the terminal.').waitFor();
    await dialog.getByLabel('Setup code').fill('wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('That is not the setup code.').waitFor();
    await dialog.getByLabel('Setup code').fill('ABCD-1234');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(setWith).toEqual({ passphrase: 'correct horse', code: 'ABCD-1234' });
  });

  test('forgets the key of its session at a reload or in another tab, or leaves it in the address', async () => {
    const key = 'k'.repeat(43);
    page = await world.open({ hash: `#key=${key}` });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.getByRole('heading', { level: 1 }).waitFor();
    expect(world.offered.slice(-3)).toEqual([['bursar', `key.${key}`], ['bursar', `key.${key}`], ['bursar', `key.${key}`]]);
  });

  test('says when the budgets were changed elsewhere, and keeps the edit on top of it', async () => {
    page = await world.open({ hash: '#/budgets' });
    await page.getByLabel('Most per day').first().fill('20');
    policy = { number: 7, savedAt: 1, author: 'cli', policy: { ...policy.policy, otherwise: 'deny' } };
    world.emit('policy');
    await page.getByText('Version 7 was saved by cli').waitFor();
    expect(await page.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Put my changes on top of it' }).click();
    const saved = sent('policy.set').length;
    world.answers['policy.set'] = (input) => (policy = { ...policy, number: 8, policy: input['policy'] as typeof policy.policy });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 8,').waitFor();
    expect(sent('policy.set')[saved]).toMatchObject({ basedOn: 7, policy: { otherwise: 'deny', caps: [{ amount: '1.00' }, { amount: '20' }] } });
  });

  test('a save that a newer version was in the way of shows that version, with the edit kept', async () => {
    page = await world.open({ hash: '#/budgets' });
    await page.getByLabel('Most per day').first().fill('20');
    world.answers['policy.set'] = () => {
      policy = { number: 3, savedAt: 1, author: 'cli', policy: { ...policy.policy, otherwise: 'deny' } };
      throw new Refusal('APPROVAL_STALE', 'Version 3 is newer.');
    };
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3 was saved by cli').waitFor();
    expect(await page.getByLabel('Most per day').first().inputValue()).toBe('20');
  });

  test('sends nothing while a field is wrong, and goes to that field', async () => {
    page = await world.open({ hash: '#/budgets' });
    const saved = sent('policy.set').length;
    await page.getByLabel('Most per call').last().fill('1,50');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Correct the marked fields first.').waitFor();
    expect(await page.getByLabel('Most per call').last().evaluate((field) => field === document.activeElement)).toBe(true);
    expect(sent('policy.set')).toHaveLength(saved);
  });

  test('keeps what it read on screen while the connection is down, says so, and reads all anew after it', async () => {
    page = await world.open();
    await page.getByText('$3.42', { exact: true }).waitFor();
    world.drop(true);
    await page.getByText('Connection lost').waitFor();
    expect(await page.getByText('$3.42', { exact: true }).isVisible()).toBe(true);
    world.answers['payments.spend'] = () => ({ unit: 'USD', todayUnits: '1', dayCapUnits: '10000000', byUpstream: [] });
    world.accept();
    await page.getByText('$0.000001', { exact: true }).waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
  });

  test('says in words what failed, and tries again', async () => {
    world.answers['payments.find'] = () => {
      throw new Refusal('DATABASE_CORRUPT', 'The database cannot be read.');
    };
    page = await world.open({ hash: '#/history' });
    await page.getByText('The database cannot be read.').waitFor();
    world.answers['payments.find'] = () => ({ payments: [], count: 0, newest: 0 });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No payment yet').waitFor();
  });

  test('where money is received lacks the address, its code, or a network; or names one that is not enabled', async () => {
    Object.assign(world.answers, {
      'accounts.list': () => ({ accounts: [{ id: 'a', label: 'Main', namespace: 'eip155', address: payer, source: 'seed' }], balances: [] }),
      'accounts.receive': () => ({
        accounts: [{ accountId: 'a', label: 'Main', address: payer, networks: [{ network: 'eip155:84532', name: 'Base Sepolia', tokens: ['USDC', 'ETH'] }], warning: 'Send only tokens on Base Sepolia here. What is sent on another network may be lost.' }],
      }),
    });
    page = await world.open();
    await page.getByRole('button', { name: 'Receive' }).click();
    const dialog = page.getByRole('dialog', { name: 'Receive on Main' });
    await dialog.getByRole('img', { name: `QR code of the address ${payer}` }).waitFor();
    expect(await dialog.textContent()).toContain('Send only tokens on Base Sepolia here. What is sent on another network may be lost.');
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['Base Sepolia: USDC, ETH']);
    expect((await dialog.locator('bdi[dir=ltr]').first().textContent())?.replaceAll(/\s/g, '')).toBe(payer);
    // The squares of a version that holds 42 characters, with its quiet zone.
    expect(await dialog.getByRole('img', { name: /QR code/ }).locator('path').getAttribute('d')).toMatch(/^M3 3h1v1h-1z/);
  });

  test.each([360, 900, 1600])('shows hostile texts as text alone and within %i px', async (width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    const huge = { units: LONG_UNITS, asset: { ...money.asset, symbol: long, networkName: bidi, decimals: 18 } };
    payments = [aPayment(0, { tool: long, client: bidi, reason: markup, rule: long, money: huge, transaction: '5'.repeat(88) })];
    Object.assign(world.answers, {
      'accounts.list': () => ({ accounts: [{ id: 'a', label: long, namespace: 'eip155', address: payer, source: 'seed' }], balances: [{ accountId: 'a', asset: huge.asset, balance: huge, stale: true }] }),
      'approvals.waiting': () => ({ waiting: [{ ...anApproval({ tool: long, client: bidi, money: huge }) }] }),
      'delegations.list': () => ({ delegations: [{ tokenAccount: payer, owner: payer, ownerLabel: long, delegate: payer, delegateLabel: bidi, state: 'active', remaining: huge, approved: huge, balance: huge, frozen: true, pays: false }], acts: [{ act: 'a', kind: 'approve', money: huge, owner: payer, delegate: payer, state: 'signed', why: markup, transaction: '5'.repeat(88), createdAt: 0 }], unreachable: [long] }),
      'requests.list': () => ({ requests: [{ id: 'req_0123456789abcdef', client: bidi, granted: false, kind: 'approve', text: long, reason: markup, money: huge, network: '', asset: '', owner: payer, delegate: payer, state: 'waiting', outcome: '', createdAt: 0, expiresAt: 1 }] }),
      'payments.spend': () => ({ unit: 'USD', todayUnits: LONG_UNITS, dayCapUnits: `9${LONG_UNITS}`, byUpstream: [{ upstream: 'demo', todayUnits: LONG_UNITS, dayCapUnits: LONG_UNITS }] }),
    });
    page = await world.open({ viewport: { width, height: 800 } });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await page.getByRole('meter').first().waitFor();
    expect(await overflow()).toBe(0);
    for (const name of ['Budgets', 'Connect', 'History']) {
      const menu = page.getByRole('button', { name: /list of pages/ });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      expect(await overflow()).toBe(0);
    }
    await page.locator('[role=row] button[aria-haspopup=dialog]').click();
    await page.getByRole('dialog').getByText(markup).waitFor();
    expect(await page.locator('script:not([src])').count()).toBe(0);
    expect(await page.title()).not.toContain('owned');
  });
});
