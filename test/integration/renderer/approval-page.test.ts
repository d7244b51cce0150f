import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApprovalView } from '../../../src/shared/contract/approvals.ts';
import { anApproval } from '../../unit/renderer/support/approval.ts';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { HOSTILE_TEXTS, LONG_UNITS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

describe.skipIf(findChromium() === undefined)('the approval page in Chromium', () => {
  let world: PageWorld;
  let queue: ApprovalView[];
  let answerableAt: number;
  let paused: boolean;
  let page: Page;

  beforeAll(async () => {
    world = await openPageWorld('approval');
  }, 60_000);

  afterAll(() => world?.close());

  beforeEach(() => {
    queue = [anApproval()];
    answerableAt = 0;
    paused = false;
    Object.assign(world.answers, {
      'app.status': () => ({ environment: 'sandbox' }),
      'policy.get': () => ({ policy: { paused } }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.current': () => ({ ...(queue[0] && { approval: queue[0] }), count: queue.length }),
      'approvals.report': ({ visible }: { visible?: unknown }) => (visible === true ? { answerableAt } : {}),
      'approvals.decide': () => {
        queue.shift();
        return {};
      },
    });
  });

  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const approve = () => page.getByRole('button', { name: /^Approve/ });
  const reject = () => page.getByRole('button', { name: /^Reject/ });
  const decisions = () => world.calls.filter(({ route }) => route === 'approvals.decide').map(({ input }) => input['decision']);
  const decided = async (change: () => Promise<unknown>): Promise<unknown[]> => {
    const before = decisions().length;
    await change();
    return decisions().slice(before);
  };
  const isReady = () => approve().and(page.locator(':enabled')).waitFor();

  test('I2: the network fee is paid beside the price and not shown', async () => {
    page = await world.open();
    await page.getByText('Network fee: up to 0.00204 SOL on Solana Devnet, paid beside the price').waitFor();
  });

  test('I7: money that an agent sends is shown as if a server asked for it, or without whom it is for, its memo and its warnings', async () => {
    const { fees: [fee] } = queue[0]!;
    queue[0] = { ...queue[0]!, upstream: 'bursar', tool: 'send_to_contact', flow: 'prepay', dialect: 'order', description: 'rent for May', fees: [{ ...fee!, rentUnits: '2039280' }], order: { recipient: 'contact 3 (Ada)', memo: 'rent for May', byOwner: false, warnings: ['the address is a contract on Base'] } };
    page = await world.open();
    await page.getByText('contact 3 (Ada)', { exact: true }).waitFor();
    const shown = await page.locator('article.terms').innerText();
    for (const words of [`${queue[0].client} wants to send`, 'Send to', 'rent for May', 'The address is a contract on Base.', 'What is sent cannot be taken back.', '0.00203928 SOL of it is rent for a token account']) expect(shown).toContain(words);
    for (const words of ['bursar', 'asks to be paid', 'in the words of the server', 'before the server answers']) expect(shown).not.toContain(words);
  });

  test('says of money that is sent by a link that its memo stays here, or that it cannot be taken back', async () => {
    queue[0] = { ...queue[0]!, upstream: 'bursar', tool: 'send_to_email', flow: 'prepay', dialect: 'order', order: { recipient: 'ada@example.org, by an escrow', memo: 'rent for May', byOwner: false, byLink: true, warnings: [] } };
    page = await world.open();
    await page.getByText('rent for May').waitFor();
    const shown = await page.locator('article.terms').innerText();
    for (const words of ['The recipient reads it with the link.', 'Until then you can take it back.']) expect(shown).toContain(words);
    expect(shown).not.toContain('What is sent cannot be taken back.');
  });

  test('shows the payee in full, and selecting it gives the bare address', async () => {
    page = await world.open();
    await page.getByText('Pay to').waitFor();
    const shown = await page.locator('.payee .address').evaluate((node) => {
      getSelection()?.selectAllChildren(node);
      return [node.textContent, getSelection()?.toString()];
    });
    expect(shown).toEqual([queue[0]!.payee, queue[0]!.payee]);
  });

  test('keeps both buttons closed until the second that main counts is over', async () => {
    answerableAt = Number.MAX_SAFE_INTEGER;
    page = await world.open();
    await approve().waitFor();
    expect([await approve().isDisabled(), await reject().isDisabled()]).toEqual([true, true]);
    await isReady();
  });

  test('focuses nothing, and neither Enter, Space nor Escape decides', async () => {
    page = await world.open();
    await isReady();
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    const made = await decided(async () => {
      for (const key of ['Enter', 'Space', 'Escape']) await page.keyboard.press(key);
      // A round trip through the page, so that what a key began would have arrived.
      await page.evaluate(() => fetch('/approval.html'));
    });
    expect(made).toEqual([]);
    expect(queue.length).toBe(1);
  });

  test('a key that is held down does not press a button that it reaches', async () => {
    page = await world.open();
    await isReady();
    const made = await decided(async () => {
      await page.keyboard.down('Space');
      await approve().focus();
      await page.keyboard.down('Space');
      await page.keyboard.down('Space');
      await page.keyboard.up('Space');
      await page.evaluate(() => fetch('/approval.html'));
    });
    expect(made).toEqual([]);
  });

  test('can be answered by keyboard alone by whoever goes to the button', async () => {
    page = await world.open();
    await isReady();
    const made = await decided(async () => {
      await reject().focus();
      await page.keyboard.press('Space');
      await page.getByText('Nothing waits for you').waitFor();
    });
    expect(made).toEqual(['reject']);
  });

  test('Enter on a focused button decides', async () => {
    page = await world.open();
    await isReady();
    const made = await decided(async () => {
      for (const button of [approve(), reject()]) {
        await button.focus();
        for (const key of ['Enter', 'NumpadEnter']) await page.keyboard.press(key);
      }
      await page.evaluate(() => fetch('/approval.html'));
    });
    expect(made).toEqual([]);
    expect(queue).toHaveLength(1);
  });

  test('a pause cannot be seen on the page', async () => {
    paused = true;
    queue = [];
    page = await world.open();
    await page.getByText('All payments are paused').waitFor();
    paused = false;
    world.emit('policy');
    await page.getByText('All payments are paused').waitFor({ state: 'hidden' });
  });

  test('says that nothing waits while it cannot know', async () => {
    queue = [];
    page = await world.open();
    await page.getByText('Nothing waits for you').waitFor();
    world.drop(true);
    await page.getByText('Connection lost').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).not.toContain('No payment waits');
    expect(await page.getByText('Nothing waits for you').count()).toBe(0);
    world.accept();
    await page.getByText('Nothing waits for you').waitFor();
  });

  test('warns of a client without proof and of a price in plain text, and keeps Bursar’s words out of the server’s', async () => {
    queue = [anApproval({ cautions: ['unverified', 'plain-text'], memo: 'order 7', feePayer: 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd', resource: '' })];
    page = await world.open();
    await page.getByText('order 7').waitFor();
    expect(await page.locator('.note.warn').filter({ hasText: 'did not prove its name' }).count()).toBe(1);
    expect(await page.locator('.note.warn').filter({ hasText: 'plain text' }).count()).toBe(1);
    expect(await page.locator('.words').innerText()).toBe('A weather report.');
    await page.getByText('More details').click();
    expect(await page.locator('dt', { hasText: 'Network fee paid by' }).count()).toBe(1);
    expect(await page.locator('dt', { hasText: 'Resource' }).count()).toBe(0);
  });

  test('what the paid server named itself looks like what another one slipped in', async () => {
    const [origin] = anApproval().origins;
    queue = [anApproval({ changes: [], cautions: [], origins: [{ ...origin!, where: 'a tool description of server "demo"', own: true }] })];
    page = await world.open();
    await page.getByText('Named by the server itself').waitFor();
    expect(await page.locator('.note.warn:visible').count()).toBe(0);
    expect(await page.getByText('first stood in a tool description of server "demo"').isVisible()).toBe(true);
  });

  test('a card or a test signature is shown as money on a chain', async () => {
    const { money } = anApproval();
    queue = [anApproval({ payee: 'acct_sandbox', payer: 'pm_card_visa', usdUnits: '500000', money: { units: '50', asset: { network: 'stripe:card', networkName: 'Card (Stripe)', address: 'usd', symbol: 'USD', decimals: 2 } } })];
    page = await world.open();
    await page.getByText('by card, through Stripe').waitFor();
    expect(await page.locator('.sum').innerText()).not.toContain('≈');
    expect(await page.locator('.payee .group').allTextContents()).toEqual(['acct_sandbox']);
    queue = [anApproval({ nonce: 'nonce-3', money: { ...money, asset: { ...money.asset, network: 'dev:mpx', networkName: 'Shared development secret', address: 'usdc' } } })];
    world.emit('approvals');
    await page.getByText('Test signature, no money moves').waitFor();
    expect(await page.locator('.sum').innerText()).not.toContain('≈');
  });

  test('a second press never answers the next request', async () => {
    queue = [anApproval(), anApproval({ paymentId: 'pay_2', nonce: 'nonce-2', tool: 'second_tool' })];
    page = await world.open();
    await isReady();
    const made = await decided(async () => {
      answerableAt = Number.MAX_SAFE_INTEGER;
      await approve().focus();
      await page.keyboard.press('Space');
      await page.getByText('second_tool').first().waitFor();
      await page.keyboard.press('Space');
      await isReady();
      await page.keyboard.press('Space');
      await page.evaluate(() => fetch('/approval.html'));
    });
    expect(made).toEqual(['approve']);
  });

  test('replaces terms that changed and says so to a screen reader', async () => {
    page = await world.open();
    await isReady();
    answerableAt = Number.MAX_SAFE_INTEGER;
    queue = [anApproval({ nonce: 'nonce-9', termsDigest: 'digest-9', money: { ...anApproval().money, units: '990000' } })];
    world.emit('approvals');
    await page.getByRole('status').filter({ hasText: '0.99 USDC' }).waitFor({ state: 'attached' });
    expect(await page.locator('.amount').textContent()).toBe('0.99 USDC');
    expect(await approve().isDisabled()).toBe(true);
  });

  test('closes the buttons while the connection is down and opens them after it came back', async () => {
    page = await world.open();
    await isReady();
    world.drop(true);
    await page.getByText('Connection lost').waitFor();
    expect([await approve().isDisabled(), await reject().isDisabled()]).toEqual([true, true]);
    world.accept();
    await isReady();
    expect(await page.getByText('Connection lost').isVisible()).toBe(false);
  });

  test('unlocks by passphrase; Enter in that field never approves', async () => {
    queue = [anApproval({ locked: true })];
    world.answers['owner.unlock'] = ({ passphrase }) => {
      if (passphrase !== 'right') throw new Refusal('PASSPHRASE_WRONG', 'The passphrase is wrong.');
      queue = [anApproval({ locked: false })];
      return { passphraseSet: true, sessionNeeded: true, locked: false };
    };
    page = await world.open();
    await reject().and(page.locator(':enabled')).waitFor();
    expect(await approve().isDisabled()).toBe(true);
    const made = await decided(async () => {
      await page.locator('#passphrase').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('The passphrase is wrong.').waitFor();
      expect(await page.locator('#passphrase').inputValue()).toBe('');
      await page.locator('#passphrase').fill('right');
      await page.keyboard.press('Enter');
      await isReady();
      await page.keyboard.press('Enter');
    });
    expect(made).toEqual([]);
    expect(await page.locator('#passphrase').isVisible()).toBe(false);
  });

  test.each([360, 900])('shows hostile texts as text alone and within %i px', async (width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    const { asset } = anApproval().money;
    queue = [
      anApproval({
        tool: long,
        client: bidi,
        upstreamAddress: `http://${'x'.repeat(300)}.example/`,
        description: HOSTILE_TEXTS.join('\n'),
        argumentsText: JSON.stringify({ markup, long }, null, 2),
        rule: long,
        payerLabel: bidi,
        resource: long,
        dialect: long,
        money: { units: LONG_UNITS, asset: { ...asset, symbol: long, networkName: bidi, decimals: 18 } },
        budgets: [{ label: long, unit: 'USD', decimals: 6, usedUnits: LONG_UNITS, thisUnits: LONG_UNITS, limitUnits: `9${LONG_UNITS}` }],
      }),
    ];
    page = await world.open({ viewport: { width, height: 700 } });
    await page.getByText('Arguments of the call').click();
    await page.getByText('More details').click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.getByText(markup).first().isVisible()).toBe(true);
    expect(await page.title()).not.toContain('owned');
    expect((await page.locator('.amount .figure').textContent())?.replace(/\D/g, '')).toBe(LONG_UNITS);
  });
});
