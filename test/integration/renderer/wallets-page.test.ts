import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS, LONG_UNITS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';
import { anAccount, answerAsWallet, BASE_USDC, OWN, SOLANA, WATCHED } from './wallet-answers.ts';

const WORDS = ['legal', 'winner', 'thank', 'year', 'wave', 'sausage', 'worth', 'useful', 'legal', 'winner', 'thank', 'yellow'];
const KEY = `0x${'ab'.repeat(32)}`;

describe.skipIf(findChromium() === undefined)('the Wallets page in Chromium', () => {
  let world: PageWorld;
  let page: Page;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());
  beforeEach(() => answerAsWallet(world));
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const open = async (options: Parameters<PageWorld['open']>[0] = {}) => {
    page = await world.open({ hash: '#/wallets', ...options });
    await page.getByText('Everyday', { exact: true }).waitFor();
  };
  const row = (label: string) => page.getByRole('listitem').filter({ has: page.getByRole('button', { name: `Manage ${label}` }) });
  const dialog = () => page.getByRole('dialog');

  test('shortens an address, or hides what an account is, that it only watches, or that its balance is old', async () => {
    await open();
    expect((await row('Everyday').locator('bdi[dir=ltr]').first().textContent())).toBe(OWN);
    await row('Everyday').getByText('12.34').waitFor();
    await row('On Solana').getByText('Imported key').waitFor();
    await row('On Solana').getByText('Not current', { exact: false }).waitFor();
    await row('Savings').getByText('Watch only').waitFor();
    expect(await row('Savings').getByRole('button', { name: /Send/ }).count()).toBe(0);
    expect(await row('Old one').isVisible()).toBe(false);
    await page.getByText('One hidden account').click();
    await row('Old one').waitFor();
  });

  test('orders accounts otherwise than was pressed, or loses what else the policy says', async () => {
    const policy = { ...defaultPolicy('UTC'), paying: { tokens: ['eip155:84532/erc20:0x036CbD53842c5426634e7929541eC2318f3dCF7e'], accounts: [{ account: OWN.toLowerCase(), max: { amount: '1.00', unit: 'USD' } }] } };
    world.answers['policy.get'] = () => ({ number: 7, savedAt: 0, author: 'owner', policy });
    world.answers['policy.set'] = (input) => ({ number: 8, savedAt: 0, author: 'owner', policy: input['policy'] });
    await open();
    expect(await page.getByRole('button', { name: 'Let Everyday pay earlier' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Let Everyday pay later' }).click();
    await page.getByText('Everyday is number 2 to pay now.').waitFor();
    expect(sent('policy.set').at(-1)).toEqual({ basedOn: 7, policy: { ...policy, paying: { ...policy.paying, accounts: [{ account: SOLANA }, ...policy.paying.accounts] } } });
  });

  test('sets another maximum than was typed, for another account, or loses what else the policy says; or a maximum is not shown', async () => {
    const policy = { ...defaultPolicy('UTC'), paying: { tokens: ['eip155:84532/erc20:0x036CbD53842c5426634e7929541eC2318f3dCF7e'], accounts: [{ account: OWN.toLowerCase(), max: { amount: '1.00', unit: 'USD' } }] } };
    world.answers['policy.get'] = () => ({ number: 7, savedAt: 0, author: 'owner', policy });
    world.answers['policy.set'] = (input) => ({ number: 8, savedAt: 0, author: 'owner', policy: input['policy'] });
    world.answers['accounts.payFrom'] = () => anAccount('a');
    await open();
    await row('Everyday').getByText('At most 1.00 USD a payment').waitFor();
    await page.getByRole('button', { name: 'Manage Everyday' }).click();
    expect(await dialog().getByRole('button', { name: /^Pay from/ }).count()).toBe(0);
    await dialog().getByRole('button', { name: /^Most of one payment/ }).click();
    expect(await dialog().getByLabel('At most').inputValue()).toBe('1.00');
    await dialog().getByLabel('At most').fill('many');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Write a plain number such as 1.50.').waitFor();
    await dialog().getByLabel('At most').fill('0.25');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => sent('policy.set').at(-1)).toEqual({ basedOn: 7, policy: { ...policy, paying: { ...policy.paying, accounts: [{ account: OWN.toLowerCase(), max: { amount: '0.25', unit: 'USD' } }, { account: SOLANA }] } } });
    await page.getByRole('button', { name: 'Manage On Solana' }).click();
    await dialog().getByRole('button', { name: /^Pay from/ }).click();
    await dialog().getByLabel('Wallet that owns the token accounts').fill(` ${SOLANA} `);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => sent('accounts.payFrom').at(-1)).toMatchObject({ owner: SOLANA });
  });

  test('renames, hides or removes an account at a single press, another one, or one of a seed for good', async () => {
    for (const route of ['accounts.rename', 'accounts.hide'] as const) world.answers[route] = () => anAccount('a');
    world.answers['accounts.remove'] = ({ passphrase }) => {
      if (passphrase !== 'right') throw new Refusal('PASSPHRASE_WRONG', 'The passphrase is wrong.');
      return {};
    };
    await open();
    await page.getByRole('button', { name: 'Manage Everyday' }).click();
    expect(await dialog().getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    await dialog().getByRole('button', { name: /^Rename/ }).click();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await dialog().getByLabel('Name').fill('Daily');
    await page.keyboard.press('Enter');
    await page.getByText('It is called Daily now.').waitFor();
    expect(sent('accounts.rename')).toEqual([{ accountId: 'a', label: 'Daily' }]);

    await page.getByRole('button', { name: 'Manage Everyday' }).click();
    await dialog().getByRole('button', { name: /^Hide/ }).click();
    expect(sent('accounts.hide')).toEqual([]);
    await dialog().getByRole('button', { name: 'Hide it' }).click();
    await page.getByText('Everyday is hidden.').waitFor();
    expect(sent('accounts.hide')).toEqual([{ accountId: 'a', hidden: true }]);

    await page.getByRole('button', { name: 'Manage On Solana' }).click();
    await dialog().getByRole('button', { name: /^Remove/ }).click();
    await dialog().getByLabel('Passphrase').fill('wrong');
    await dialog().getByRole('button', { name: 'Remove for good' }).click();
    await dialog().getByText('This is not its address.').waitFor();
    expect(sent('accounts.remove')).toEqual([]);
    await dialog().getByLabel('Type or paste its address').fill(SOLANA);
    await dialog().getByRole('button', { name: 'Remove for good' }).click();
    await dialog().getByText('The passphrase is wrong.').waitFor();
    await dialog().getByLabel('Passphrase').fill('right');
    await dialog().getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('Removed On Solana.').waitFor();
    expect(sent('accounts.remove').at(-1)).toEqual({ accountId: 'b', confirm: SOLANA, passphrase: 'right' });
  });

  test('leaves words or a key on screen, in the page or in screenshots after they were closed (I6)', async () => {
    world.answers['seeds.reveal'] = ({ passphrase }) => {
      if (passphrase !== 'right') throw new Refusal('PASSPHRASE_WRONG', 'The passphrase is wrong.');
      return { words: WORDS };
    };
    world.answers['accounts.export'] = () => ({ secret: KEY });
    const hidden = sent('secrets.hidden').length;
    await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Show the words of Main wallet' }).click();
    await dialog().getByLabel('Passphrase').fill('wrong');
    await page.keyboard.press('Enter');
    await dialog().getByText('The passphrase is wrong.').waitFor();
    await dialog().getByLabel('Passphrase').fill('right');
    await page.keyboard.press('Enter');
    const words = dialog().getByRole('list', { name: 'The words, in order' }).getByRole('listitem');
    await expect.poll(() => words.allInnerTexts()).toEqual(WORDS);
    await dialog().getByRole('button', { name: 'Copy' }).click();
    await page.getByText('The clipboard is cleared in a minute.', { exact: false }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(WORDS.join(' '));
    expect(sent('secrets.hidden')).toHaveLength(hidden);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await expect.poll(() => sent('secrets.hidden').length).toBe(hidden + 1);
    expect(await page.content()).not.toContain('sausage');

    await page.getByRole('button', { name: 'Manage Everyday' }).click();
    await dialog().getByRole('button', { name: /^Show the private key/ }).click();
    await dialog().getByLabel('Passphrase').fill('right');
    await page.keyboard.press('Enter');
    await dialog().getByText(KEY).waitFor();
    expect(sent('accounts.export').at(-1)).toEqual({ accountId: 'a', form: 'hex', passphrase: 'right' });
    await dialog().getByRole('button', { name: 'Hide it' }).click();
    await expect.poll(() => sent('secrets.hidden').length).toBe(hidden + 2);
    expect(await page.content()).not.toContain(KEY);
  });

  test('a copied key stays in the clipboard after its minute', async () => {
    world.answers['accounts.export'] = () => ({ secret: KEY });
    page = await world.open({ hash: '#/wallets', permissions: ['clipboard-read', 'clipboard-write'] });
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Manage Everyday' }).click();
    await dialog().getByRole('button', { name: /^Show the private key/ }).click();
    await dialog().getByLabel('Passphrase').fill('right');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(KEY);
    await dialog().getByRole('button', { name: 'Hide it' }).click();
    await page.clock.fastForward(59_000);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(KEY);
    await page.clock.fastForward(2_000);
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('');
  });

  test('a secret stays on screen after main stopped to protect it', async () => {
    world.answers['seeds.reveal'] = () => ({ words: WORDS });
    page = await world.open({ hash: '#/wallets' });
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Show the words of Main wallet' }).click();
    await dialog().getByLabel('Passphrase').fill('right');
    await page.keyboard.press('Enter');
    await dialog().getByText('sausage').waitFor();
    await page.clock.fastForward(300_000);
    await dialog().waitFor({ state: 'hidden' });
  });

  test('an account cannot be added, or what was wrong is not said beside the field', async () => {
    world.answers['accounts.importMnemonic'] = ({ words }) => {
      if (words !== WORDS.join(' ')) throw new Refusal('MNEMONIC_INVALID', 'Word 6 is not in the list of BIP-39 words; near it are sausage.');
      return { accounts: [anAccount('e', { label: 'Phone EVM' }), anAccount('f', { label: 'Phone Solana' })] };
    };
    world.answers['accounts.watch'] = () => {
      throw new Refusal('INPUT_INVALID', 'The checksum of the address is wrong.');
    };
    world.answers['accounts.import'] = () => anAccount('g', { label: 'Tool' });
    world.answers['accounts.derive'] = () => anAccount('h', { label: 'Second' });
    const choose = async (way: RegExp) => {
      await page.getByRole('button', { name: 'Add an account…' }).click();
      await dialog().getByRole('button', { name: way }).click();
    };
    const add = () => dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await open();
    await choose(/The words of another wallet/);
    await dialog().getByLabel('Name').fill('Phone');
    await dialog().getByLabel('Words').fill('legal winner thank year wave sausages');
    await add();
    const words = dialog().getByLabel('Words');
    await expect.poll(() => words.getAttribute('aria-invalid')).toBe('true');
    await dialog().getByText('Word 6 is not in the list', { exact: false }).waitFor();
    await words.fill(WORDS.join(' '));
    await add();
    await page.getByText('Added Phone EVM, Phone Solana.').waitFor();

    await choose(/An address to watch/);
    await dialog().getByLabel('Name').fill('Cold');
    await dialog().getByLabel('Address', { exact: true }).fill(`${WATCHED} `);
    await add();
    await dialog().getByText('The checksum of the address is wrong.', { exact: false }).waitFor();
    expect(sent('accounts.watch')).toEqual([{ namespace: 'eip155', label: 'Cold', address: WATCHED }]);
    await dialog().getByRole('button', { name: 'Back' }).click();
    await dialog().getByRole('button', { name: /A private key/ }).click();
    await dialog().getByLabel('Name').fill('Tool');
    await dialog().getByLabel('Kind of network').selectOption('solana');
    await dialog().getByLabel('Choose a key file').setInputFiles({ name: 'id.json', mimeType: 'application/json', buffer: Buffer.from('[1,2,3]') });
    await expect.poll(() => dialog().getByLabel('Private key').inputValue()).toBe('[1,2,3]');
    await add();
    await page.getByText('Added Tool.').waitFor();
    expect(sent('accounts.import')).toEqual([{ namespace: 'solana', label: 'Tool', secret: '[1,2,3]' }]);

    await choose(/Another account of your words/);
    await dialog().getByLabel('Name').fill('Second');
    await dialog().getByLabel('Number').fill('2.5');
    await add();
    expect(sent('accounts.derive')).toEqual([]);
    await dialog().getByLabel('Number').fill('');
    await add();
    await page.getByText('Added Second.').waitFor();
    expect(sent('accounts.derive')).toEqual([{ namespace: 'eip155', label: 'Second' }]);
  });

  test('a backup is made under another passphrase than was meant, or its refusal is not said', async () => {
    world.answers['backup.create'] = ({ path }) => {
      if (path === '/home/ada/there') throw new Refusal('INPUT_INVALID', 'There is such a file.');
      return { path, bytes: 123_456, createdAt: 5 };
    };
    await open();
    await page.getByRole('button', { name: 'Make a backup…' }).click();
    await dialog().getByLabel('File', { exact: true }).fill('there');
    await dialog().getByLabel('Passphrase', { exact: true }).fill('mine');
    await dialog().getByLabel('Give the file a passphrase of its own').check();
    await dialog().getByLabel('Passphrase of the file', { exact: true }).fill('for the file');
    await dialog().getByLabel('Repeat').fill('for the fill');
    await dialog().getByRole('button', { name: 'Make it' }).click();
    await dialog().getByText('The two passphrases differ.').waitFor();
    await dialog().getByLabel('Repeat').fill('for the file');
    await dialog().getByRole('button', { name: 'Make it' }).click();
    await dialog().getByText('from the root of the disk', { exact: false }).waitFor();
    expect(sent('backup.create')).toEqual([]);
    await dialog().getByLabel('File', { exact: true }).fill('/home/ada/there');
    await dialog().getByRole('button', { name: 'Make it' }).click();
    await dialog().getByText('There is such a file.').waitFor();
    await dialog().getByLabel('File', { exact: true }).fill('/home/ada/backup');
    await dialog().getByRole('button', { name: 'Make it' }).click();
    await dialog().getByText('The backup is made.').waitFor();
    await dialog().getByText('123.5 kB').waitFor();
    expect(sent('backup.create').at(-1)).toEqual({ path: '/home/ada/backup', passphrase: 'mine', filePassphrase: 'for the file' });
  });

  test('the keys are locked at another time, sealed without the passphrase, or an alert is for another token', async () => {
    let lockAfterMinutes = 60;
    world.answers['owner.status'] = () => ({ passphraseSet: true, sessionNeeded: true, locked: false, lockAfterMinutes });
    world.answers['owner.setLockAfter'] = ({ minutes }) => {
      lockAfterMinutes = Number(minutes);
      return { passphraseSet: true, sessionNeeded: true, locked: false, lockAfterMinutes };
    };
    world.answers['keys.seal'] = () => ({});
    world.answers['accounts.setAlert'] = () => ({ alerts: [] });
    await open();
    const lock = page.getByLabel('Lock the keys when you are away for');
    expect(await lock.locator('option:checked').innerText()).toBe('1 hour');
    await lock.selectOption('15 minutes');
    await page.getByText('Saved.').waitFor();
    expect(sent('owner.setLockAfter')).toEqual([{ minutes: 15 }]);
    await expect.poll(() => lock.locator('option:checked').innerText()).toBe('15 minutes');
    await page.getByRole('button', { name: 'Seal the keys…' }).click();
    await dialog().getByRole('button', { name: 'Seal', exact: true }).click();
    expect(sent('keys.seal')).toEqual([]);
    await dialog().getByLabel('Passphrase').fill('right');
    await dialog().getByRole('button', { name: 'Seal', exact: true }).click();
    await page.getByText('The keys are sealed.').waitFor();
    await page.getByRole('button', { name: 'Add an alert…' }).click();
    await dialog().getByLabel('Token').selectOption('ETH on Base Sepolia');
    await dialog().getByLabel('Below').fill('0.01');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('The alert is set.').waitFor();
    await page.getByRole('button', { name: 'Remove the alert for USDC on Base Sepolia' }).click();
    await page.getByText('The alert was removed.').waitFor();
    expect(sent('accounts.setAlert')).toEqual([
      { asset: 'eip155:84532/erc20:0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', amount: '0.01' },
      { asset: 'eip155:84532/erc20:0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
    ]);
  });

  test('an empty wallet, or one that cannot be read, is a blank page', async () => {
    world.answers['accounts.list'] = () => ({ accounts: [], balances: [] });
    page = await world.open({ hash: '#/wallets' });
    await page.getByText('There is no account yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Send…', exact: true }).isDisabled()).toBe(true);
    world.answers['accounts.list'] = () => {
      throw new Refusal('INTERNAL', 'The request failed inside Bursar.');
    };
    await page.reload();
    await page.getByText('The request failed inside Bursar.').first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  });

  test.each([360, 1280])('runs over the edge at %i px, with hostile names and figures of any length', async (width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    const huge = { asset: { ...BASE_USDC, symbol: long.slice(0, 60), networkName: bidi, decimals: 18 }, units: LONG_UNITS };
    world.answers['accounts.list'] = () => ({
      accounts: [anAccount('a', { label: 'Everyday' }), anAccount('b', { label: long, namespace: 'solana', address: SOLANA, delegatedFrom: SOLANA }), anAccount('c', { label: markup, address: WATCHED, source: 'watch' })],
      balances: [{ accountId: 'a', asset: huge.asset, balance: huge, stale: true }],
    });
    world.answers['seeds.list'] = () => ({ seeds: [{ id: 's', label: long, words: 24, addedAt: 1 }] });
    world.answers['accounts.alerts'] = () => ({ alerts: [{ asset: huge.asset, amount: LONG_UNITS }] });
    await open({ viewport: { width, height: 800 } });
    await page.getByText(LONG_UNITS.slice(0, 20), { exact: false }).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    await page.getByRole('button', { name: `Manage ${long}` }).click();
    await dialog().getByRole('button', { name: /^Rename/ }).waitFor();
    expect(await dialog().evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await page.title()).not.toContain('owned');
  });

  test.each(['light', 'dark'] as const)('a screen reader or a weak eye is stopped (%s)', async (colorScheme) => {
    await open({ colorScheme });
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add an account…' }).click();
    await dialog().getByRole('button', { name: /A private key/ }).click();
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
