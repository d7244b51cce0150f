import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApprovalView } from '../../../src/shared/contract/approvals.ts';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { anApproval } from '../../unit/renderer/support/approval.ts';
import { aProposal } from '../../unit/renderer/support/proposal.ts';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

describe.skipIf(findChromium() === undefined)('the next times, beside a request in Chromium', () => {
  let world: PageWorld;
  let queue: ApprovalView[];
  let page: Page;

  beforeAll(async () => {
    world = await openPageWorld('approval');
  }, 60_000);

  afterAll(() => world?.close());

  beforeEach(() => {
    queue = [anApproval({ changes: [], origins: [], cautions: [] })];
    Object.assign(world.answers, {
      'app.status': () => ({ environment: 'sandbox' }),
      'policy.get': () => ({ policy: {} }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.current': ({ paymentId }: { paymentId?: unknown }) => {
        const approval = paymentId === undefined ? queue[0] : queue.find((one) => one.paymentId === paymentId);
        return { ...(approval && { approval }), count: queue.length };
      },
      'approvals.report': () => ({ answerableAt: 0 }),
      'approvals.decide'() {
        queue.shift();
        return {};
      },
      'approvals.proposeRule': ({ act }: { act?: { kind?: 'allow-tool' | 'block-server' } }) => aProposal(act?.kind, { answerableAt: 0 }),
      'approvals.saveRule': ({ kind }: { kind?: unknown }) => {
        if (kind === 'block-server') queue.shift();
        return { number: 2 };
      },
    });
  });

  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const callsOf = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const press = (name: RegExp) => page.getByRole('button', { name }).click();
  const dialog = () => page.getByRole('dialog');
  /** A round trip through the page, so that what a key began would have arrived. */
  const roundTrip = () => page.evaluate(() => fetch('/approval.html'));
  const proposeUpTo = async (amount: string) => {
    await press(/^Allow this tool/);
    await dialog().getByLabel('Up to, each day, in USDC').fill(amount);
    await page.keyboard.press('Enter');
  };

  test('what is saved is not on screen before it, or the payment is not approved with it', async () => {
    page = await world.open();
    const [saved, decided] = [callsOf('approvals.saveRule').length, callsOf('approvals.decide').length];
    await proposeUpTo('0.50');
    await dialog().getByRole('heading', { name: 'Save this rule?' }).waitFor();
    const words = (await dialog().innerText()).replaceAll(/\s+/g, ' ');
    for (const part of ['demo', 'weather_report', 'Claude Desktop', 'USDC, Base Sepolia', 'at most 0.01 USDC, what this one costs', '0.50 USDC a day for this tool in all', '≈ $0.50', '0.01 USDC, this payment with it', 'a limit of 2.00 USDC a day', 'rule 1 of 3']) expect(words).toContain(part);
    expect(words).not.toContain('It holds only where');
    expect(words.replaceAll(' ', '')).toContain(queue[0]!.payee);
    await dialog().getByText('As it is saved').click();
    expect(JSON.parse(await dialog().locator('pre').innerText())).toEqual({ rule: aProposal().rule, cap: aProposal().cap?.cap });
    await press(/^Save and approve/);
    await page.getByText('Nothing waits for you').waitFor();
    expect(callsOf('approvals.saveRule').slice(saved)).toEqual([{ paymentId: 'pay_1', termsDigest: 'digest-1', nonce: 'nonce-1', proposal: 'proposal-1', kind: 'allow-tool' }]);
    expect(callsOf('approvals.decide').slice(decided)).toMatchObject([{ decision: 'approve' }]);
    await page.getByText('The rule is saved.').waitFor();
  });

  test('I7: Enter, Escape, a key that is held down or a press before its second saves a rule', async () => {
    page = await world.open();
    const before = callsOf('approvals.saveRule').length;
    world.answers['approvals.proposeRule'] = () => aProposal('allow-tool', { answerableAt: Number.MAX_SAFE_INTEGER });
    await proposeUpTo('0.50');
    const save = page.getByRole('button', { name: /^Save and approve/ });
    await save.waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await save.and(page.locator(':enabled')).waitFor();
    await save.focus();
    for (const key of ['Enter', 'NumpadEnter']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await roundTrip();
    expect(callsOf('approvals.saveRule').slice(before)).toEqual([]);
    expect(queue).toHaveLength(1);
  });

  describe('I7: with proof of presence', () => {
    let proven: string[];
    const step = () => page.getByRole('region', { name: 'Prove that you are there' });
    const PASSPHRASE = 'correct horse battery';
    const prove = async (): Promise<void> => {
      await step().getByLabel('Passphrase').and(page.locator(':focus')).waitFor();
      await page.keyboard.type(PASSPHRASE);
      await page.keyboard.press('Enter');
    };

    beforeEach(() => {
      proven = [];
      let begun = '';
      const take = (route: string): void => {
        if (!proven.includes(route)) throw new Refusal('PRESENCE_REQUIRED');
        proven = proven.filter((one) => one !== route);
      };
      const { 'approvals.saveRule': save, 'approvals.decide': decide } = world.answers;
      Object.assign(world.answers, {
        'approvals.saveRule': (input: { kind?: unknown }) => (input.kind === 'allow-tool' && take('approvals.saveRule'), save?.(input)),
        'approvals.decide': (input: { decision?: unknown }) => (input.decision === 'approve' && take('approvals.decide'), decide?.(input)),
        'presence.begin': ({ route }: { route?: unknown }) => {
          begun = String(route);
          return { challenge: 'c'.repeat(43), expiresAt: Date.now() + 60_000, methods: ['passphrase'] };
        },
        'presence.prove': ({ passphrase }: { passphrase?: unknown }) => {
          if (passphrase !== PASSPHRASE) throw new Refusal('PASSPHRASE_WRONG', 'That is not the passphrase.');
          proven.push(begun);
          return {};
        },
      });
    });

    test('a rule is saved without it, the proof is asked for behind the dialog, or the payment is approved by the proof of the rule', async () => {
      page = await world.open({ viewport: { width: 360, height: 640 } });
      const [saved, decided] = [callsOf('approvals.saveRule').length, callsOf('approvals.decide').length];
      await proposeUpTo('0.50');
      await press(/^Save and approve/);
      await dialog().getByRole('region', { name: 'Prove that you are there' }).waitFor();
      expect(await page.getByRole('button', { name: /^Save and approve/ }).count()).toBe(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
      expect(await seriousViolations(page)).toEqual([]);
      await prove();
      await dialog().waitFor({ state: 'hidden' });
      await page.getByText('so it asks for that once more').waitFor();
      expect(queue).toHaveLength(1);
      await prove();
      await page.getByText('Nothing waits for you').waitFor();
      const input = { paymentId: 'pay_1', termsDigest: 'digest-1', nonce: 'nonce-1', proposal: 'proposal-1', kind: 'allow-tool' };
      expect(callsOf('approvals.saveRule').slice(saved)).toEqual([input, input]);
      expect(callsOf('presence.begin').slice(-2)).toMatchObject([{ route: 'approvals.saveRule', input }, { route: 'approvals.decide' }]);
      expect(callsOf('approvals.decide').slice(decided)).toHaveLength(2);
    });

    test('there is no way back to the rule, or to the request, that saves nothing', async () => {
      page = await world.open();
      const saved = callsOf('approvals.saveRule').length;
      await proposeUpTo('0.50');
      await press(/^Save and approve/);
      await step().getByLabel('Passphrase').fill(PASSPHRASE);
      await step().getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: /^Save and approve/ }).and(page.locator(':focus')).waitFor();
      expect(await page.locator('#standing-presence-passphrase').inputValue()).toBe('');
      await press(/^Save and approve/);
      await step().getByLabel('Passphrase').waitFor();
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'hidden' });
      await roundTrip();
      expect([callsOf('approvals.saveRule').length - saved, proven, queue.length]).toEqual([2, [], 1]);
    });
  });

  test('a server is blocked without a word of what that is, or the request is approved by it', async () => {
    page = await world.open();
    const decided = callsOf('approvals.decide').length;
    await press(/^Block this server/);
    await dialog().getByText('Nothing is paid to demo any more').waitFor();
    await dialog().getByText('This request and one other of this server end now').waitFor();
    await dialog().getByRole('button', { name: 'Block this server' }).click();
    await page.getByText('demo is blocked').waitFor();
    expect(callsOf('approvals.saveRule').at(-1)).toMatchObject({ kind: 'block-server' });
    expect(callsOf('approvals.decide').length).toBe(decided);
  });

  test('an amount that main refuses closes the dialog or says nothing, or another request is taken for the one that it was said beside', async () => {
    page = await world.open();
    world.answers['approvals.proposeRule'] = () => {
      throw new Refusal('AMOUNT_INVALID', 'The amount "lots" is no plain decimal number.');
    };
    await proposeUpTo('lots');
    await dialog().getByText('The amount "lots"').waitFor();
    await dialog().getByLabel('Up to, each day, in USDC').waitFor();
    queue = [anApproval({ paymentId: 'pay_2', nonce: 'nonce-2', tool: 'other_tool' })];
    world.emit('approvals');
    await dialog().waitFor({ state: 'hidden' });
  });

  test('a tool that may not be allowed for more than this payment is offered to be, and nothing says why', async () => {
    queue = [anApproval({ notForDays: 'The terms changed since the last payment. Approve this one first, if you expected it.' })];
    page = await world.open();
    await page.getByText('The terms changed since the last payment.').waitFor();
    expect(await page.getByRole('button', { name: /^Allow this tool/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Block this server/ }).count()).toBe(1);
  });

  test('I2: who the payee is, that nothing was ever paid there, or that the money goes before the answer is not shown', async () => {
    queue = [anApproval({ upfront: true })];
    page = await world.open();
    const payee = page.locator('.payee');
    await payee.getByText('Your contact Ada').waitFor();
    await payee.getByText('First payment to this address').waitFor();
    expect(await payee.locator('svg.identicon path').count()).toBe(2);
    await page.getByText('Paid up front: the money moves before the server answers.').waitFor();
    const { contact: _, ...stranger } = anApproval({ nonce: 'nonce-2', firstPayment: false });
    queue = [stranger];
    world.emit('approvals');
    await payee.getByText('Your contact').waitFor({ state: 'detached' });
    expect(await payee.getByText('First payment').count()).toBe(0);
  });

  test('the link to one request shows another, or nothing once that one is answered', async () => {
    queue = [anApproval(), anApproval({ paymentId: 'pay_22', nonce: 'nonce-2', tool: 'second_tool' })];
    page = await world.open({ hash: '#request=pay_22' });
    await page.locator('.asks').getByText('second_tool').waitFor();
    await page.evaluate(() => (window.location.hash = '#request=pay_1'));
    await page.locator('.asks').getByText('weather_report').waitFor();
    await page.evaluate(() => (window.location.hash = '#request=pay_22'));
    await page.locator('.asks').getByText('second_tool').waitFor();
    queue = [queue[0]!];
    world.emit('approvals');
    await page.locator('.asks').getByText('weather_report').waitFor();
  });

  test.each([
    [360, 'light'],
    [480, 'dark'],
  ] as const)('hostile names break out of the dialog at %i px in %s colours, or it cannot be read by everybody', async (width, colorScheme) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    const proposal = aProposal();
    queue = [anApproval({ upstream: long, tool: markup, client: bidi, contact: { number: 1, name: markup } })];
    world.answers['approvals.proposeRule'] = () => aProposal('allow-tool', { answerableAt: 0, ruleText: long, rule: { ...proposal.rule, note: markup, when: { ...proposal.rule.when, upstream: long, tool: markup, client: bidi, dialect: long } } });
    page = await world.open({ viewport: { width, height: 700 }, colorScheme });
    await proposeUpTo('0.50');
    await dialog().getByText('As it is saved').click();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.title()).not.toContain('owned');
    expect(await dialog().evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    const { violations } = await new AxeBuilder({ page }).include('dialog').analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)).toEqual([]);
  });
});
