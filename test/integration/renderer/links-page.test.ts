import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { ClaimSettings, EscrowView } from '../../../src/shared/contract/escrows.ts';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';
import { ADA, answerAsWallet, BASE_USDC } from './wallet-answers.ts';

const LINK = `https://claims.example/pay/#1.${'abc'.repeat(40)}.0f0f0f0f`;
const DAY = 86_400_000;

const anEscrow = (number: number, change: Partial<EscrowView> = {}): EscrowView => ({
  id: `esc_${number}`,
  state: 'notified',
  kind: 'email',
  recipient: 'ada@example.org',
  recipientName: 'Ada',
  memo: 'lunch',
  money: { asset: BASE_USDC, units: '1500000' },
  address: ADA,
  paymentId: `pay_${number}`,
  transaction: '',
  delivery: 'sent',
  deliveryError: '',
  createdAt: Date.now() - DAY,
  expiresAt: Date.now() + 5 * DAY,
  ...change,
});

describe.skipIf(findChromium() === undefined)('the Sent links page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let escrows: readonly EscrowView[];
  let settings: ClaimSettings;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    answerAsWallet(world);
    settings = { pageUrl: 'https://claims.example/pay/', expiryDays: 14, mail: { host: 'mail.example.org', port: 587, secure: false, plain: false, user: 'me', from: 'me@example.org' } };
    escrows = [
      anEscrow(1),
      anEscrow(2, { state: 'funded', kind: 'sms', recipient: '+4915123456789', recipientName: '', delivery: 'none', memo: '' }),
      anEscrow(3, { state: 'funded', delivery: 'failed', deliveryError: 'The mail server did not take the mail: No such user here', recipientName: '' }),
      anEscrow(4, { state: 'claimed', transaction: '0xfeed', recipient: 'bob@example.org', recipientName: 'Bob' }),
      anEscrow(5, { state: 'notified', expiresAt: Date.now() - DAY, recipient: 'late@example.org', recipientName: 'Late' }),
    ];
    Object.assign(world.answers, {
      'escrows.list': () => ({ escrows }),
      'escrows.settings': () => settings,
      'escrows.link': () => ({ id: 'esc_1', link: LINK, subject: 'You were sent', text: LINK, mailto: `mailto:ada@example.org?subject=x&body=${encodeURIComponent(LINK)}`, sms: '' }),
      'escrows.resend': () => escrows[0],
      'escrows.refund': () => ({ ...escrows[0], state: 'refunding' }),
      'escrows.testMail': () => ({}),
      'escrows.setPage': (input: Record<string, unknown>) => ({ ...settings, ...input }),
      'escrows.setMail': () => settings,
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const open = async (options: Parameters<PageWorld['open']>[0] = {}) => {
    page = await world.open({ hash: '#/links', ...options });
    await page.getByRole('heading', { name: 'Sent links', level: 1 }).waitFor();
    await page.getByText('1.50').first().waitFor();
  };
  const dialog = () => page.getByRole('dialog');
  const row = (words: string) => page.getByRole('listitem').filter({ hasText: words });

  test('hides whom, how it stands, or that a mail did not go out; or offers what cannot be done', async () => {
    await open();
    await row('Ada, ada@example.org').getByText('Waits to be claimed').first().waitFor();
    await row('+4915123456789').getByText('Nobody was told').waitFor();
    expect(await row('+4915123456789').getByRole('button', { name: /^Mail/ }).count()).toBe(0);
    await page.getByText('No such user here').waitFor();
    expect(await row('bob@example.org').getByRole('button').filter({ hasText: '…' }).count()).toBe(0);
    await row('late@example.org').getByText('Ran out').waitFor();
    expect(await row('late@example.org').getByRole('button', { name: /^Show the link/ }).count()).toBe(0);
    await row('late@example.org').getByRole('button', { name: /^Take back/ }).waitFor();
  });

  test('I6: the link is on the page before its owner asked for it, or stays after', async () => {
    await open();
    expect(await page.content()).not.toContain('0f0f0f0f');
    await page.getByRole('button', { name: 'Show link for Ada, ada@example.org' }).first().click();
    expect(sent('escrows.link')).toEqual([]);
    await dialog().getByRole('button', { name: 'Show the link' }).click();
    await dialog().getByText(LINK).waitFor();
    expect(await dialog().getByRole('link', { name: 'Write the mail' }).getAttribute('href')).toMatch(/^mailto:ada@example\.org\?subject=/);
    await dialog().getByRole('button', { name: 'Hide it' }).click();
    await expect.poll(() => page.content()).not.toContain('0f0f0f0f');
    await expect.poll(() => sent('secrets.hidden').length).toBeGreaterThan(0);
  });

  test('mails or takes back another one than was pressed, or at a single press; or a refusal is not said', async () => {
    await open();
    await page.getByRole('button', { name: 'Mail again to Ada, ada@example.org' }).first().click();
    expect(sent('escrows.resend')).toEqual([]);
    await dialog().getByRole('button', { name: 'Mail it' }).click();
    await page.getByText('The link was mailed to ada@example.org.').waitFor();
    expect(sent('escrows.resend')).toEqual([{ id: 'esc_1' }]);
    world.answers['escrows.refund'] = () => {
      throw new Refusal('CLAIM_GONE', 'The money of the escrow esc_1 was claimed already.');
    };
    await page.getByRole('button', { name: 'Take back what was sent to Late, late@example.org' }).click();
    await dialog().getByRole('button', { name: 'Take it back' }).click();
    await dialog().getByText('was claimed already').waitFor();
    expect(sent('escrows.refund')).toEqual([{ id: 'esc_5' }]);
  });

  test('keeps other settings than were typed, shows the password, or asks for none', async () => {
    await open();
    await page.getByRole('button', { name: 'Change…' }).click();
    await dialog().getByLabel('Days until unclaimed money comes back').fill('0');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Write a whole number from 1 to 365.').waitFor();
    await dialog().getByLabel('Days until unclaimed money comes back').fill('30');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => sent('escrows.setPage')).toEqual([{ pageUrl: 'https://claims.example/pay/', expiryDays: 30 }]);
    await page.getByRole('button', { name: 'Set up…' }).click();
    expect(await dialog().getByLabel('Password').inputValue()).toBe('');
    await dialog().getByLabel('Password').fill('hunter2');
    await dialog().getByLabel('Encryption').selectOption('tls');
    expect(await dialog().getByLabel('Port').inputValue()).toBe('465');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => sent('escrows.setMail')).toEqual([{ mail: { host: 'mail.example.org', port: 465, secure: true, plain: false, user: 'me', password: 'hunter2', from: 'me@example.org' } }]);
    await page.getByRole('button', { name: 'Test…' }).click();
    await dialog().getByLabel('Send a test mail to').fill('me@example.org');
    await dialog().getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('A test mail to me@example.org is on its way.').waitFor();
  });

  test.each([360, 900, 1440])('at %i pixels: scrolls sideways, breaks with hostile texts, or keeps somebody out', async (width) => {
    escrows = [...escrows, ...HOSTILE_TEXTS.map((text, index) => anEscrow(10 + index, { recipient: text.slice(0, 300), recipientName: text, memo: text, deliveryError: text, delivery: 'failed', state: 'funded' }))];
    await open({ viewport: { width, height: 900 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show link for Ada, ada@example.org' }).first().click();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
