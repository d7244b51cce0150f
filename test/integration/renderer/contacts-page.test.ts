import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { ContactView } from '../../../src/shared/contract/contacts.ts';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';
import { aContact, ADA, answerAsWallet, aQuote, BASE_USDC, CONTACTS, OWN, WATCHED } from './wallet-answers.ts';

describe.skipIf(findChromium() === undefined)('the Contacts page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let contacts: readonly ContactView[];

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    contacts = CONTACTS;
    answerAsWallet(world);
    world.answers['contacts.list'] = () => ({ contacts });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const open = async (options: Parameters<PageWorld['open']>[0] = {}) => {
    page = await world.open({ hash: '#/contacts', ...options });
    await page.getByRole('button', { name: 'Add a contact…' }).waitFor();
  };
  const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('button', { name: `Edit ${name}` }) });
  const dialog = () => page.getByRole('dialog');

  test('hides a number, an address, or that a name looks like another', async () => {
    await open();
    await row('Ada Lovelace').getByText('#1').waitFor();
    expect(await row('Ada Lovelace').locator('bdi[dir=ltr]').first().textContent()).toBe(ADA);
    await row('Ada Lovelace').getByText('This is an account of this wallet.').waitFor();
    await row('Ada LoveIace').getByText('Contact 1 has a name that looks the same.').waitFor();
    await row('Ada LoveIace').getByText('Base Sepolia').waitFor();
    await row('Grace').getByText('No address yet').waitFor();
  });

  test('shows contacts while the keys are locked, or no way to unlock them', async () => {
    let locked = true;
    world.answers['contacts.list'] = () => {
      if (locked) throw new Refusal('WALLET_LOCKED', 'The keys are locked.');
      return { contacts };
    };
    world.answers['owner.unlock'] = () => {
      locked = false;
      return { passphraseSet: true, sessionNeeded: true, locked: false };
    };
    await open();
    await page.getByRole('button', { name: 'Unlock to see them' }).click();
    await dialog().getByLabel('Passphrase').fill('right');
    await page.keyboard.press('Enter');
    await row('Grace').waitFor();
    locked = true;
    world.emit('owner');
    await page.getByRole('button', { name: 'Unlock to see them' }).waitFor();
    expect(await page.content()).not.toContain('grace@example.org');
  });

  test('adds another contact than was typed, or does not say what is wrong beside its field', async () => {
    world.answers['contacts.add'] = (input) => {
      if (JSON.stringify(input).includes('0xnot')) throw new Refusal('ADDRESS_INVALID', '0xnot is no address of an EVM network or of Solana.');
      const added = aContact(5, { name: String(input['name']) });
      contacts = [...contacts, added];
      return added;
    };
    await open();
    await page.getByRole('button', { name: 'Add a contact…' }).click();
    await dialog().getByLabel('E-mail').fill('nowhere');
    await dialog().getByLabel('Phone').fill('030 123456');
    await dialog().getByRole('button', { name: 'Save' }).click();
    for (const words of ['Write a name of 1 to 80 characters.', 'This is no e-mail address.', 'Write a phone number such as +4930123456.']) await dialog().getByText(words).waitFor();
    expect(sent('contacts.add')).toEqual([]);
    await dialog().getByLabel('Name').fill('Alan');
    await dialog().getByLabel('E-mail').fill('');
    await dialog().getByLabel('Phone').fill('+49 30 123-456');
    await dialog().getByRole('button', { name: 'Add an address' }).click();
    await dialog().getByLabel('Kind of address 2').selectOption('Base Sepolia');
    await dialog().getByLabel('Address 2', { exact: true }).fill('0xnot');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => dialog().getByLabel('Address 2', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await dialog().getByText('0xnot is no address', { exact: false }).waitFor();
    await dialog().getByLabel('Address 2', { exact: true }).fill(ADA);
    expect(await dialog().getByText('0xnot is no address', { exact: false }).count()).toBe(0);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved Alan.').waitFor();
    expect(sent('contacts.add').at(-1)).toEqual({ name: 'Alan', email: '', phone: '+4930123456', note: '', addresses: [{ chain: 'eip155:84532', address: ADA }] });
    await row('Alan').waitFor();
  });

  test('saves a lookalike in silence, or loses an address by an edit', async () => {
    world.answers['contacts.edit'] = () => aContact(4, { name: 'Ada', warnings: ['Contact 1 has a name that looks the same.'] });
    await open();
    await page.getByRole('button', { name: 'Edit Ada Lovelace' }).click();
    await dialog().getByLabel('Name').fill('Ada');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Ada is saved' }).getByText('Contact 1 has a name that looks the same.').waitFor();
    expect(sent('contacts.edit')).toEqual([{ number: 1, name: 'Ada', email: 'ada@example.org', phone: '+4930123456', note: 'Translations', addresses: CONTACTS[0]?.addresses.map(({ chain, address }) => ({ chain, address })) }]);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'hidden' });
  });

  test('removes a contact at a single press, or another one', async () => {
    world.answers['contacts.remove'] = ({ number }) => {
      contacts = contacts.filter((contact) => contact.number !== number);
      return {};
    };
    await open();
    await page.getByRole('button', { name: 'Remove Grace' }).click();
    await page.keyboard.press('Escape');
    expect(sent('contacts.remove')).toEqual([]);
    await page.getByRole('button', { name: 'Remove Grace' }).click();
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed Grace.').waitFor();
    expect(sent('contacts.remove')).toEqual([{ number: 4 }]);
    await expect.poll(() => row('Grace').count()).toBe(0);
  });

  test('sends what was not looked at, hides a fee or a warning, or sends by one press', async () => {
    world.answers['sends.quote'] = ({ amount }) => {
      if (amount === '900') throw new Refusal('INSUFFICIENT_BALANCE', 'No account holds 900 USDC.');
      return aQuote({ warnings: ['You never sent anything to this address before.'] });
    };
    world.answers['sends.send'] = () => ({ paymentId: 'pay_9', transaction: '0xtransaction', paymentType: 'direct', recipient: 'contact 1 (Ada Lovelace)', payee: ADA, money: { asset: BASE_USDC, units: '1500000' }, sentAt: 5 });
    await open();
    await page.getByRole('button', { name: 'Send to Ada Lovelace' }).click();
    await dialog().getByRole('button', { name: 'Next' }).click();
    await dialog().getByText('Write a plain number such as 1.50.').waitFor();
    await dialog().getByLabel('Amount').fill('900');
    await dialog().getByRole('button', { name: 'Next' }).click();
    await dialog().getByText('No account holds 900 USDC.', { exact: false }).waitFor();
    await dialog().getByLabel('Amount').fill('1.50');
    await page.keyboard.press('Enter');
    const review = page.getByRole('dialog', { name: 'Look at it once more' });
    await review.getByText('You never sent anything to this address before.').waitFor();
    await review.getByText('1.50 USDC + 0.000021 ETH', { exact: false }).waitFor();
    expect(await review.locator('bdi[dir=ltr]').first().textContent()).toBe(ADA);
    expect(sent('sends.send')).toEqual([]);
    await review.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('dialog', { name: 'Sent' }).getByText('1.50 USDC went to contact 1 (Ada Lovelace).').waitFor();
    expect(sent('sends.send')).toEqual([{ to: { contact: 1 }, amount: '1.50', token: 'USDC', memo: '', network: 'eip155:84532', from: OWN }]);
    await dialog().getByText('0xtransaction').waitFor();
  });

  test('an escrow is shown as a direct payment, with an address that nobody has, or without its reserve and its end', async () => {
    const until = Date.UTC(2027, 4, 3, 12);
    world.answers['sends.quote'] = () => aQuote({ recipient: 'Grace, grace@example.org, by a claim link', paymentType: 'escrow', payee: '', claimableUntil: until, fees: [{ ...aQuote().fees[0]!, rentUnits: '5000000000000' }] });
    await open();
    await page.getByRole('button', { name: 'Send to Grace' }).click();
    await dialog().getByLabel('Amount').fill('1.50');
    await page.keyboard.press('Enter');
    const review = page.getByRole('dialog', { name: 'Look at it once more' });
    await review.getByText('grace@example.org', { exact: false }).waitFor();
    await review.getByText('Can be claimed until').waitFor();
    expect(await review.locator('time').getAttribute('datetime')).toBe(new Date(until).toISOString());
    await review.getByText('0.000005 ETH of it is rent and a reserve', { exact: false }).waitFor();
    await review.getByText('You can take it back until then', { exact: false }).waitFor();
    // The account that pays, and no payee.
    expect(await review.locator('bdi[dir=ltr]').allTextContents()).toEqual([OWN]);
  });

  test.each([
    { choice: 'An e-mail', label: 'E-mail address', wrong: 'ada@nowhere', to: 'ada@example.org', kind: 'email', state: 'notified', words: 'The link was mailed.' },
    { choice: 'A phone', label: 'Phone number', wrong: '030 123456', to: '+49 30 123456', kind: 'sms', state: 'funded', words: 'Nobody was told yet' },
  ])('money for $label goes out unseen, to somebody else, or nobody learns how it reaches them', async ({ choice, label, wrong, to, kind, state, words }) => {
    const escrow = { id: 'esc_1', state, kind, recipient: to, recipientName: '', memo: 'for lunch', money: { asset: BASE_USDC, units: '1500000' }, address: ADA, paymentId: 'pay_9', transaction: '', delivery: 'none', deliveryError: '', createdAt: 5, expiresAt: 6 };
    world.answers['escrows.quote'] = (input) => {
      if (input['to'] === wrong) throw new Refusal('RECIPIENT_INVALID', `"${wrong}" cannot be reached.`);
      return aQuote({ recipient: `${to}, by a claim link`, paymentType: 'escrow', payee: '', claimableUntil: Date.UTC(2027, 4, 3) });
    };
    world.answers['escrows.send'] = () => ({ paymentId: 'pay_9', transaction: '0xtransaction', escrow });
    world.answers['escrows.list'] = () => ({ escrows: [escrow] });
    world.answers['escrows.settings'] = () => ({ pageUrl: 'https://claims.example/', expiryDays: 14, mail: null });
    const before = sent('escrows.send').length;
    const direct = sent('sends.send').length;
    await open();
    await page.getByRole('button', { name: 'Send to Grace' }).click();
    await dialog().getByText(choice, { exact: true }).click();
    await dialog().getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => dialog().getByLabel(label).getAttribute('aria-invalid')).toBe('true');
    await dialog().getByLabel(label).fill(wrong);
    await dialog().getByLabel('Amount').fill('1.50');
    await dialog().getByLabel('What it is for').fill('for lunch');
    await page.keyboard.press('Enter');
    await dialog().getByText(`"${wrong}" cannot be reached.`, { exact: false }).waitFor();
    expect(await dialog().getByLabel(label).getAttribute('aria-invalid')).toBe('true');
    await dialog().getByLabel(label).fill(to);
    await page.keyboard.press('Enter');
    const review = page.getByRole('dialog', { name: 'Look at it once more' });
    await review.getByText(`${to}, by a claim link`, { exact: false }).waitFor();
    await review.getByText('Can be claimed until').waitFor();
    await review.getByText('for lunch').waitFor();
    await review.getByText('1.50 USDC + 0.000021 ETH', { exact: false }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(sent('escrows.send').length).toBe(before);
    await review.getByRole('button', { name: 'Send', exact: true }).click();
    const done = page.getByRole('dialog', { name: 'Sent' });
    await done.getByText(words, { exact: false }).waitFor();
    expect(sent('escrows.send').slice(before)).toEqual([{ kind, to, amount: '1.50', token: 'USDC', memo: 'for lunch', network: 'eip155:84532', from: OWN }]);
    expect(sent('sends.send').length).toBe(direct);
    await done.getByRole('link', { name: 'Go to Sent links' }).click();
    await page.getByRole('heading', { name: 'Sent links', level: 1 }).waitFor();
    await dialog().waitFor({ state: 'hidden' });
  });

  test('an owner who rejects is told that it was sent, or cannot go back to it', async () => {
    world.answers['sends.quote'] = () => aQuote({ recipient: WATCHED, payee: WATCHED });
    world.answers['sends.send'] = () => {
      throw new Refusal('APPROVAL_REJECTED', 'You rejected it.');
    };
    await open();
    await page.getByRole('button', { name: 'Send to Grace' }).click();
    await dialog().getByText('An address', { exact: true }).click();
    await dialog().getByLabel('Address', { exact: true }).fill(WATCHED);
    await dialog().getByLabel('Amount').fill('1.50');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Send', exact: true }).click();
    await dialog().getByText('You rejected it.').waitFor();
    await dialog().getByRole('button', { name: 'Back' }).click();
    expect(await dialog().getByLabel('Amount').inputValue()).toBe('1.50');
    expect(sent('sends.quote').at(-1)).toEqual({ to: { address: WATCHED }, amount: '1.50', token: 'USDC', memo: '' });
  });

  test.each([360, 1280])('runs over the edge at %i px, with hostile names', async (width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    contacts = [aContact(1, { name: long, email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example`, note: markup, addresses: [{ chain: 'eip155:99999999999', address: ADA, warnings: [long] }] }), aContact(2, { name: bidi, warnings: [markup] })];
    await open({ viewport: { width, height: 800 } });
    await page.getByText(markup).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    await page.getByRole('button', { name: `Edit ${long}` }).click();
    await dialog().getByLabel('Name').waitFor();
    expect(await dialog().evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await page.title()).not.toContain('owned');
  });

  test.each(['light', 'dark'] as const)('a screen reader or a weak eye is stopped (%s)', async (colorScheme) => {
    world.answers['sends.quote'] = () => aQuote({ warnings: ['You never sent anything to this address before.'] });
    await open({ colorScheme });
    await row('Grace').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit Ada Lovelace' }).click();
    await dialog().getByLabel('Name').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send to Ada Lovelace' }).click();
    await dialog().getByLabel('Amount').fill('1.50');
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Look at it once more' }).getByText('1.50 USDC', { exact: false }).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
