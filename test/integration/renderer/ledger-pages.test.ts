import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { statusTexts } from '../../../src/renderer/texts/dashboard.ts';
import { PaymentStatus, type PaymentView } from '../../../src/shared/contract/payments.ts';
import { HOSTILE_TEXTS, LONG_UNITS } from './hostile-texts.ts';
import { ACTIVITY, aPayment, DETAIL, money, SPENDING, usualAnswers, WAITING } from './ledger-pages-world.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const MANY = Array.from({ length: 100_000 }, (_, index) => aPayment(index));

describe.skipIf(findChromium() === undefined)('the pages over the ledger in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let payments: readonly PaymentView[];

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    payments = MANY;
    for (const route of Object.keys(world.answers)) delete world.answers[route as keyof typeof world.answers];
    Object.assign(world.answers, usualAnswers(() => payments));
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const row = (tool: string) => page.getByRole('row').filter({ has: page.getByText(tool, { exact: true }) });

  test('draws or reads a hundred thousand payments at once, or cannot get to the oldest', async () => {
    page = await world.open({ hash: '#/history' });
    await row('tool_0').waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('100001');
    const before = sent('payments.find').length;
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await row('tool_99999').waitFor();
    expect(await row('tool_99999').getAttribute('aria-rowindex')).toBe('100001');
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    expect(sent('payments.find').length - before).toBeLessThan(6);
    await page.evaluate((to) => window.scrollTo(0, to), 50_000 * 56);
    await page.getByRole('row').filter({ hasText: 'tool_49995' }).waitFor();
  });

  test('shows a status under another name', async () => {
    payments = PaymentStatus.options.map((status, index) => aPayment(index, { status }));
    page = await world.open({ hash: '#/history', viewport: { width: 1280, height: 1600 } });
    for (const [index, status] of PaymentStatus.options.entries()) expect(await row(`tool_${index}`).innerText()).toContain(statusTexts[status].label);
  });

  test('asks main for other payments than the fields say, for each letter, or loses the filter on a later page', async () => {
    page = await world.open({ hash: '#/history' });
    await page.getByLabel('Search').pressSequentially('tool_9', { delay: 5 });
    await page.getByText('11,111 payments').waitFor();
    const asked = () => sent('payments.find').map(({ filter }) => JSON.stringify(filter));
    expect(asked()).not.toContain('{"text":"tool"}');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Status', { exact: true }).selectOption({ label: statusTexts.undelivered.label });
    await page.getByLabel('Server', { exact: true }).selectOption('weather');
    await page.getByLabel('Network', { exact: true }).selectOption({ label: money.asset.networkName });
    await page.getByLabel('From', { exact: true }).fill('2026-05-01');
    await page.getByLabel('To', { exact: true }).fill('2026-05-02');
    const start = await page.evaluate(() => new Date(2026, 4, 1).getTime());
    const expected = { text: 'tool_9', statuses: ['undelivered'], upstream: 'weather', network: money.asset.network, from: start, to: start + 2 * 86_400_000 };
    await expect.poll(() => sent('payments.totals').at(-1)).toEqual({ filter: expected });
    await page.evaluate(() => window.scrollTo(0, 120 * 56));
    await expect.poll(() => sent('payments.find').at(-1)).toMatchObject({ filter: expected, offset: 100, newest: 100_000 });
    await page.getByRole('button', { name: 'Filters (5)' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('100,000 payments').waitFor();
  });

  test('says nothing where nothing fits, or leaves no way back', async () => {
    page = await world.open({ hash: '#/history' });
    await page.getByLabel('Search').fill('no such thing');
    await page.getByText('No payment fits').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row('tool_0').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  test('the oldest payments cannot be put first by the keyboard, or the order is not said', async () => {
    page = await world.open({ hash: '#/history' });
    await row('tool_0').waitFor();
    const time = page.getByRole('columnheader', { name: 'Time' });
    expect(await time.getAttribute('aria-sort')).toBe('descending');
    await time.getByRole('button').press('Enter');
    await row('tool_99999').waitFor();
    expect(await row('tool_99999').getAttribute('aria-rowindex')).toBe('2');
    expect(await time.getAttribute('aria-sort')).toBe('ascending');
    expect(sent('payments.find').at(-1)).toMatchObject({ offset: 99_900, newest: 100_000 });
    expect(await page.getByRole('columnheader', { name: 'Amount' }).getByRole('button').count()).toBe(0);
    await time.getByRole('button').press('Enter');
    await row('tool_0').waitFor();
  });

  test('a table forgets an entry when it is sorted, or sorts figures as words', async () => {
    page = await world.open();
    await page.getByText('Show as a table').click();
    const table = page.getByRole('table', { name: /Spending by day/ });
    await table.getByRole('button', { name: 'Amount' }).press('Enter');
    const amounts = (await table.getByRole('row').allInnerTexts()).slice(1).map((text) => Number(/\$([\d.]+)/.exec(text)?.[1]));
    expect(amounts).toHaveLength(SPENDING.days.filter(({ units }) => units !== '0').length);
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
    expect(await table.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')).toBe('descending');
  });

  test('exports another set than the filter, a part of it, or a formula', async () => {
    payments = Array.from({ length: 1234 }, (_, index) => aPayment(index, index === 0 ? { tool: '=HYPERLINK("x")' } : {}));
    page = await world.open({ hash: '#/history', acceptDownloads: true });
    const saved = async (button: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
      const parts: Buffer[] = [];
      for await (const part of await download.createReadStream()) parts.push(part as Buffer);
      return { name: download.suggestedFilename(), text: Buffer.concat(parts).toString() };
    };
    const csv = await saved('Export CSV');
    expect(csv.name).toMatch(/^bursar-payments-\d{4}-\d{2}-\d{2}\.csv$/);
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(1235);
    expect(csv.text).toContain(`"'=HYPERLINK(""x"")"`);
    const json = JSON.parse((await saved('Export JSON')).text) as { payments: PaymentView[] };
    expect(json.payments.map(({ id }) => id)).toEqual(payments.map(({ id }) => id));
    await page.getByLabel('Search').fill('tool_12');
    await page.getByText('45 payments').waitFor();
    expect((JSON.parse((await saved('Export JSON')).text) as { payments: PaymentView[] }).payments).toHaveLength(45);
  });

  test('hides what happened, what it cost, or the exchange; or opens an explorer by itself', async () => {
    world.answers['payments.dispute'] = () => ({ markdown: '# Payment', packet: packetOf('pay_0') });
    page = await world.open({ hash: '#/history', acceptDownloads: true });
    await row('tool_0').getByRole('button').press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('0.000021 ETH').waitFor();
    expect(await dialog.getByRole('region', { name: 'Timeline' }).getByRole('listitem').allInnerTexts()).toEqual([expect.stringContaining('The server asked for money'), expect.stringContaining('Signed'), expect.stringContaining('Seen on the chain')]);
    const link = dialog.getByRole('link', { name: 'Show at an explorer' });
    expect([await link.getAttribute('href'), await link.getAttribute('rel'), await link.getAttribute('target')]).toEqual([DETAIL.explorerUrl, 'noopener noreferrer', '_blank']);
    expect(page.context().pages()).toHaveLength(1);
    expect(await dialog.getByText(DETAIL.answerText).isVisible()).toBe(false);
    await dialog.getByText('Raw exchange').click();
    for (const text of [DETAIL.argumentsText, DETAIL.proofText, DETAIL.receiptText, DETAIL.answerText]) await dialog.getByText(text, { exact: true }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Save as a page' }).click()]);
    expect(download.suggestedFilename()).toBe('pay_0-dispute.md');
  });

  test('loses the place or the open payment while others are paid', async () => {
    page = await world.open({ hash: '#/history' });
    await row('tool_0').getByRole('button').click();
    await page.getByRole('dialog').getByText('tool_0', { exact: true }).waitFor();
    payments = [aPayment(0, { id: 'new', tool: 'brand_new' }), ...MANY];
    world.emit('payments');
    await page.getByText('100,001 payments').waitFor();
    await page.getByRole('dialog').getByText('tool_0', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await row('brand_new').waitFor();
    expect(await row('tool_0').count()).toBe(1);
  });

  test('a chart that only eyes can read, or whose table says something else', async () => {
    page = await world.open();
    await page.getByRole('img', { name: /Bar chart of the spending of 30 days, \$\d+\.\d+ together/ }).waitFor();
    const section = page.getByRole('region', { name: 'Per day' });
    await section.getByText('Show as a table').click();
    expect(await section.getByRole('row').count()).toBe(1 + SPENDING.days.filter(({ units }) => units !== '0').length);
    expect(await section.getByRole('row').nth(1).innerText()).toMatch(/Jun 30\s+\$2\.25/);
    expect(await page.getByRole('region', { name: 'Per server' }).last().getByRole('listitem').first().innerText()).toMatch(/weather\s+\$21\.30 53%/);
  });

  test('a send is shown as a server that nobody knows, or as an answer that somebody got', async () => {
    payments = [aPayment(0, { upstream: 'bursar', tool: 'send', client: 'cli', dialect: 'order', order: { recipient: 'contact 1 (Ada Lovelace)', memo: 'lunch' } })];
    world.answers['payments.spend'] = () => ({ unit: 'USD', todayUnits: '4500000', byUpstream: [{ upstream: 'bursar', todayUnits: '4500000' }] });
    world.answers['payments.spending'] = () => ({ ...SPENDING, servers: [{ upstream: 'bursar', units: '4500000' }] });
    world.answers['payments.facets'] = () => ({ upstreams: ['bursar'], tools: ['send'], networks: [] });
    world.answers['approvals.waiting'] = () => ({ waiting: [{ ...WAITING[0], upstream: 'bursar', client: 'default', tool: 'send_to_contact' }] });
    page = await world.open();
    await page.getByText('To contact 1 (Ada Lovelace)').waitFor();
    await page.getByText('asked by the default client').waitFor();
    const main = page.getByRole('main');
    for (const part of await page.getByRole('region', { name: 'Per server' }).all()) expect(await part.innerText()).toContain('Sends');
    expect(await main.innerText()).not.toMatch(/\bbursar\b/);
    await page.evaluate(() => void (window.location.hash = '#/approvals'));
    await main.getByText('A send', { exact: true }).waitFor();
    await page.evaluate(() => void (window.location.hash = '#/history'));
    await page.getByRole('button', { name: 'Filters' }).click();
    expect(await page.getByLabel('Server', { exact: true }).locator('option').allInnerTexts()).toEqual(['Any', 'Sends']);
    expect(await row('send').innerText()).toMatch(/Sent[\s\S]*To contact 1 \(Ada Lovelace\)/);
    await row('send').getByRole('button').click();
    const details = page.getByRole('dialog');
    await details.getByText('The money was sent.').waitFor();
    await details.getByText('The send was asked for').waitFor();
    expect(await details.innerText()).not.toMatch(/server|seller/i);
  });

  test('decides in the dashboard, hides who asks for what, or counts another sum', async () => {
    page = await world.open({ hash: '#/approvals' });
    await page.getByText('2 payments wait').waitFor();
    await page.getByText('0.26 USDC').waitFor();
    for (const { paymentId, tool, client } of WAITING) {
      const one = page.getByRole('main').getByRole('listitem').filter({ has: page.getByText(tool, { exact: true }) });
      expect(await one.innerText()).toContain(client);
      expect(await one.getByRole('link', { name: `Open the approval page for ${tool}` }).getAttribute('href')).toBe(`/approve#request=${paymentId}`);
    }
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    world.answers['approvals.waiting'] = () => ({ waiting: [] });
    world.emit('approvals');
    await page.getByText('No payment waits for you').waitFor();
  });

  test('hides a wrong passphrase, who changed the budgets, or that the ledger was changed', async () => {
    world.answers['activity.list'] = ({ offset }) => (Number(offset) > 0 ? { entries: [{ ...ACTIVITY[0], id: 'a0', act: 'clients.add', subject: 'cursor', outcome: '' }], more: false } : { entries: ACTIVITY, more: true });
    page = await world.open({ hash: '#/activity' });
    const entries = page.getByRole('table', { name: 'Entries' }).getByRole('row');
    await expect.poll(() => entries.count(), { timeout: 10_000 }).toBe(1 + 4);
    expect(await entries.nth(1).innerText()).toMatch(/Sign-in[\s\S]*Refused: wrong passphrase[\s\S]*you/i);
    expect(await entries.nth(2).innerText()).toMatch(/Budgets and rules saved Version 2/);
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await page.getByText('This is the first entry.').waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'cursor' }).innerText()).toMatch(/Client added cursor/);
    world.answers['ledger.status'] = () => ({ cause: 'tampered', canPutBack: false, findings: ['The payment p1 was changed.'], verified: true, acceptances: [] });
    world.emit('app');
    await page.getByText('The payment p1 was changed.').waitFor();
  });

  test('shows what an act was done to as an id, or the name of a contact to somebody who is not the owner', async () => {
    const done = (id: string, act: string, subject: string) => ({ ...ACTIVITY[0]!, id, act, subject, outcome: '' });
    world.answers['activity.list'] = () => ({
      entries: [done('a1', 'contacts.add', '2'), done('a2', 'accounts.setAlert', `${money.asset.network}/erc20:${money.asset.address}`), done('a3', 'accounts.hide', 'a'), done('a4', 'contacts.remove', '9')],
      more: false,
    });
    world.answers['contacts.list'] = () => ({ contacts: [{ number: 2, name: 'Grace Hopper', email: '', phone: '', note: '', addresses: [], warnings: [], createdAt: 1 }] });
    page = await world.open({ hash: '#/activity' });
    const entries = page.getByRole('table', { name: 'Entries' });
    for (const words of ['Contact added #2 Grace Hopper', `Low-balance alert changed ${money.asset.symbol} on ${money.asset.networkName}`, 'Account shown or hidden Main', 'Contact removed #9']) await entries.getByText(words).waitFor();
    world.answers['contacts.list'] = () => {
      throw new Refusal('OWNER_REQUIRED', 'Only the owner may see contacts.');
    };
    page = await world.open({ hash: '#/activity' });
    await page.getByRole('cell', { name: 'Contact added #2', exact: true }).waitFor();
  });

  test('leaves somebody without a terminal before a ledger that stops every payment', async () => {
    world.answers['ledger.status'] = () => ({ cause: 'tampered', canPutBack: false, findings: ['The payment p1 was changed.'], verified: true, acceptances: [] });
    world.answers['ledger.accept'] = () => {
      world.answers['ledger.status'] = () => ({ cause: 'none', canPutBack: false, findings: [], verified: true, acceptances: [] });
      return { cause: 'none', canPutBack: false, findings: [], verified: true, acceptances: [] };
    };
    page = await world.open({ hash: '#/activity' });
    await page.getByRole('button', { name: 'Accept it as it is…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Accept the changed ledger?' });
    await dialog.getByText('Budgets and rules begin anew').waitFor();
    expect(sent('ledger.accept')).toEqual([]);
    await dialog.getByRole('button', { name: 'Accept it', exact: true }).click();
    await page.getByText('The ledger is complete.', { exact: false }).waitFor();
    expect(sent('ledger.accept')).toEqual([{}]);
  });

  test('takes changed settings, or a restored ledger, for a policy that has to begin anew; or shows no way back', async () => {
    const finding = 'config.json was changed outside Bursar. RPC servers of Base: now lying.example; it was rpc.example.';
    const found = (cause: 'settings' | 'restored') => () => ({ cause, canPutBack: cause === 'settings', findings: [finding], verified: true, acceptances: [] });
    const whole = { cause: 'none' as const, canPutBack: false, findings: [], verified: true, acceptances: [] };
    const accepted = sent('ledger.accept');
    world.answers['ledger.status'] = found('settings');
    world.answers['settings.putBack'] = () => {
      world.answers['ledger.status'] = () => whole;
      world.emit('app');
      return whole;
    };
    page = await world.open({ hash: '#/activity' });
    await page.getByText(finding).waitFor();
    await page.getByRole('button', { name: 'Accept the change…' }).click();
    await page.getByRole('dialog', { name: 'Accept the changed settings?' }).getByText('Your budgets and rules stay as they are.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Put the settings back' }).click();
    await page.getByText('The ledger is complete.', { exact: false }).waitFor();
    expect(sent('settings.putBack')).toEqual([{}]);
    expect(sent('ledger.accept')).toEqual(accepted);

    world.answers['ledger.status'] = found('restored');
    world.emit('app');
    await page.getByText('The ledger came out of a backup.', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Put the settings back' }).count()).toBe(0);
  });

  test.each(['settings', 'tampered'] as const)('lets the owner accept changed settings and not put them back, as %s', async (cause) => {
    world.answers['ledger.status'] = () => ({ cause, canPutBack: true, findings: ['config.json was changed outside Bursar.'], verified: true, acceptances: [] });
    world.answers['settings.putBack'] = () => {
      const after = { cause: 'none', canPutBack: false, findings: [], verified: true, acceptances: [] };
      world.answers['ledger.status'] = () => after;
      return after;
    };
    page = await world.open({ hash: '#/activity' });
    await page.getByText('config.json was changed outside Bursar.').waitFor();
    await page.getByRole('button', { name: /^Accept .*…$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Accept it', exact: true }).waitFor();
    expect(await dialog.getByText('Put them back first').count()).toBe(cause === 'tampered' ? 1 : 0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Put the settings back' }).click();
    await page.getByText('The ledger is complete.', { exact: false }).waitFor();
  });

  test('says nothing of a failure, or cannot try again', async () => {
    world.answers['activity.list'] = () => {
      throw new Refusal('DATABASE_CORRUPT', 'The database cannot be read.');
    };
    page = await world.open({ hash: '#/activity' });
    await page.getByText('The database cannot be read.').waitFor();
    world.answers['activity.list'] = () => ({ entries: [], more: false });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing was recorded yet').waitFor();
  });

  test.each(['light', 'dark'] as const)('shuts people out who use other tools than eyes and mouse, in the %s theme', async (colorScheme) => {
    world.answers['payments.dispute'] = () => ({ markdown: '# Payment', packet: packetOf('pay_0') });
    page = await world.open({ colorScheme });
    const violations = async () => {
      const { violations: found } = await new AxeBuilder({ page }).analyze();
      return found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    };
    await page.getByText('Show as a table').click();
    expect(await violations()).toEqual([]);
    for (const [hash, ready] of [['approvals', '2 payments wait'], ['activity', 'Backup made'], ['history', '100,000 payments']] as const) {
      await page.evaluate((to) => void (window.location.hash = `#/${to}`), hash);
      await page.getByText(ready, { exact: true }).first().waitFor();
      expect([hash, await violations()]).toEqual([hash, []]);
    }
    await page.getByRole('button', { name: 'Filters' }).click();
    await row('tool_0').getByRole('button').click();
    await page.getByRole('dialog').getByText('Raw exchange').click();
    expect(await violations()).toEqual([]);
  });

  test.each([360, 1280, 1600])('shows hostile texts as text alone and within %i px', async (width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    const huge = { units: LONG_UNITS, asset: { ...money.asset, symbol: long, networkName: bidi, decimals: 18 } };
    payments = [aPayment(0, { tool: long, upstream: long, client: bidi, money: huge }), aPayment(1)];
    Object.assign(world.answers, {
      'approvals.waiting': () => ({ waiting: WAITING.map((one) => ({ ...one, tool: long, client: bidi, upstream: long, money: huge })) }),
      'activity.list': () => ({ entries: ACTIVITY.map((entry) => ({ ...entry, subject: long, author: markup, act: bidi })), more: false }),
      'payments.spending': () => ({ days: SPENDING.days.map((day) => ({ ...day, units: LONG_UNITS })), servers: [{ upstream: long, units: LONG_UNITS }] }),
      'payments.totals': () => ({ tokens: [{ asset: huge.asset, movedUnits: LONG_UNITS, heldUnits: LONG_UNITS }], usd: { movedUnits: LONG_UNITS, heldUnits: LONG_UNITS }, unpriced: 2 }),
      'payments.facets': () => ({ upstreams: [long, markup], tools: [long, bidi], networks: [{ network: 'x', name: long }] }),
    });
    page = await world.open({ viewport: { width, height: 800 } });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await page.getByText('Per day').first().waitFor();
    await page.getByText('Show as a table').click();
    expect(['overview', await overflow()]).toEqual(['overview', 0]);
    for (const [hash, ready] of [['approvals', '2 payments wait'], ['activity', 'This is the first entry.'], ['history', '2 payments']] as const) {
      await page.evaluate((to) => void (window.location.hash = `#/${to}`), hash);
      await page.getByText(ready, { exact: true }).first().waitFor();
      expect([hash, await overflow()]).toEqual([hash, 0]);
    }
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByText('By token').click();
    await page.getByLabel('Tool', { exact: true }).waitFor();
    expect(['filters', await overflow()]).toEqual(['filters', 0]);
    expect(await page.locator('script:not([src])').count()).toBe(0);
  });
});

const packetOf = (paymentId: string) => ({
  format: 'bursar-dispute/1',
  madeAt: '',
  paymentId,
  status: 'delivered',
  columns: { decision: 'approved', money: 'settled', service: 'delivered' },
  reason: { code: '', text: '' },
  terms: { client: '', upstream: '', tool: '', dialect: '', scheme: '', network: '', asset: '', amount: '1', payee: '', payer: '', flow: '' },
  transaction: '',
  final: true,
  arguments: '',
  challenge: '',
  offer: '',
  proof: '',
  receipt: '',
  hashes: { terms: '', arguments: '', challenge: '', offer: '', proof: '', receipt: '' },
  timeline: [],
});
