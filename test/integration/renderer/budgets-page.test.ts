import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { loosened } from '../../../src/core/policy/loosened.ts';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import type { Policy } from '../../../src/shared/policy/policy.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, type PageWorld } from './page-world.ts';

const OWN: Policy = {
  version: 1,
  timeZone: 'UTC',
  only: { upstreams: ['weather', 'search'] },
  caps: [
    { over: {}, window: 'day', unit: 'USD', amount: '10.00' },
    { over: { upstream: 'weather', tool: 'fore*' }, window: { rollingMinutes: 60 }, unit: 'payments', amount: '20' },
  ],
  rules: [
    { when: { upstream: 'weather', amount: { atMost: '0.10', unit: 'USD' }, during: { days: ['mon', 'tue'], from: '09:00' } }, verdict: 'allow', note: 'small' },
    { when: { firstPayment: 'payee', changedTerms: false }, verdict: 'ask' },
  ],
  otherwise: 'deny',
};

const aPast = (id: string, verdict: 'allow' | 'ask' | 'deny') => ({
  id,
  createdAt: 1_800_000_000_000,
  client: 'default',
  upstream: 'weather',
  tool: `tool_${id}`,
  money: { asset: { network: 'eip155:84532', networkName: 'Base Sepolia', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC', decimals: 6 }, units: '10000' },
  verdict,
  rule: 'Rule: x',
  decision: 'approved',
});

describe.skipIf(findChromium() === undefined)('the Budgets page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let version: RouteOutput<'policy.get'>;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 120_000);
  afterAll(() => world?.close());

  beforeEach(() => {
    version = { number: 3, savedAt: 1_800_000_000_000, author: 'owner, cli', policy: OWN };
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment: 'sandbox', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: '', keys: { backend: 'vault', locked: false, passphraseBeside: true }, networks: [], warnings: [] }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.waiting': () => ({ waiting: [] }),
      'requests.list': () => ({ requests: [] }),
      'accounts.list': () => ({ accounts: [], balances: [] }),
      'clients.access': () => ({ clients: [], tokenUrl: '' }),
      'delegations.list': () => ({ delegations: [], acts: [], unreachable: [] }),
      'upstreams.list': () => ({ upstreams: [{ name: 'weather', kind: 'http', address: 'https://weather.example', enabled: true, mcpUrl: '' }] }),
      'policy.get': () => version,
      'policy.set': ({ policy }: Record<string, unknown>) => (version = { number: version.number + 1, savedAt: 1, author: 'owner, dashboard', policy: policy as Policy }),
      'policy.review': ({ policy }: Record<string, unknown>) => ({ problems: [], loosens: [...loosened(version.policy, policy as Policy)], against: version.number }),
      'policy.simulate': ({ policy }: Record<string, unknown>) => {
        const isOwn = JSON.stringify(policy) === JSON.stringify(OWN);
        return { payments: [aPast('a', 'deny'), aPast('b', isOwn ? 'deny' : 'allow')], counts: isOwn ? { allow: 0, ask: 0, deny: 2 } : { allow: 1, ask: 0, deny: 1 }, notReplayed: ['Balances are not known.'] };
      },
      'policy.versions': () => ({ versions: [3, 2].map((number) => ({ number, savedAt: 1, author: 'owner, cli', caps: 2, rules: 2, paused: false })), more: false }),
      'policy.version': ({ number }: Record<string, unknown>) => ({ number: Number(number), savedAt: 1, author: 'owner, cli', policy: { ...OWN, rules: [], otherwise: 'ask' } }),
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (): { basedOn: number; policy: Policy }[] => world.calls.filter(({ route }) => route === 'policy.set').map(({ input }) => input as never);
  const openRules = async () => {
    page = await world.open({ hash: '#/budgets' });
    await page.getByRole('tab', { name: 'All limits and rules' }).click();
  };
  const save = async () => {
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  };

  test('rules change places otherwise than by the keys, lose the focus, or lose a member', async () => {
    await openRules();
    await page.getByText('Allow payments on server weather of up to 0.10 US dollars on Monday and Tuesday from 09:00 to 24:00.').waitFor();
    await page.getByRole('button', { name: 'Move rule 2 up' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('It is rule 1 now.').waitFor();
    await save();
    expect(sent().at(-1)?.policy).toEqual({ ...OWN, rules: OWN.rules.toReversed() });
  });

  test('what is saved is not what the sentence said, or is saved before what it loosens and changes was shown', async () => {
    await openRules();
    await page.getByLabel('On the server').selectOption('weather');
    await page.getByLabel('up to, each (US dollars)').fill('0.50');
    await page.getByLabel('and at most, a day (US dollars)').fill('2');
    await page.getByRole('button', { name: 'Add this rule' }).click();
    const before = sent().length;
    await page.getByRole('button', { name: 'Save changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('New or changed: Rule: allow server weather, amount up to 0.50 USD.').waitFor();
    await dialog.getByText('One payment would be decided otherwise').first().waitFor();
    expect(await dialog.getByRole('row').allInnerTexts()).toEqual([expect.stringMatching(/Allowed\s+Asked\s+Denied/), expect.stringMatching(/In force now\s+0\s+0\s+2/), expect.stringMatching(/With your changes\s+1\s+0\s+1/)]);
    expect(await dialog.getByText('tool_b').count()).toBe(1);
    expect(await dialog.getByText('tool_a').count()).toBe(0);
    expect(sent()).toHaveLength(before);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent().at(-1)).toEqual({
      basedOn: 3,
      policy: { ...OWN, caps: [...OWN.caps, { over: { upstream: 'weather' }, window: 'day', unit: 'USD', amount: '2' }], rules: [...OWN.rules, { when: { upstream: 'weather', amount: { atMost: '0.50', unit: 'USD' } }, verdict: 'allow' }] },
    });
  });

  test('a field that is wrong is not named, or the page lets go of it', async () => {
    await openRules();
    await page.getByRole('button', { name: 'Edit limit 1' }).click();
    await page.getByRole('listitem', { name: 'Limit 1' }).getByRole('textbox', { name: 'At most' }).fill('1,5');
    const before = sent().length;
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Correct the marked fields first.').waitFor();
    expect(await page.getByRole('listitem', { name: 'Limit 1' }).getByRole('textbox', { name: 'At most' }).getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(await page.getByRole('tab', { name: 'All limits and rules' }).getAttribute('aria-selected')).toBe('true');
    expect(sent()).toHaveLength(before);
  });

  test('JSON of another form is taken, or its owner does not learn where it is wrong', async () => {
    page = await world.open({ hash: '#/budgets' });
    await page.getByRole('tab', { name: 'JSON' }).click();
    const field = page.getByLabel('The policy as JSON');
    expect(JSON.parse(await field.inputValue())).toEqual(OWN);
    await field.fill('{ "version": 1 ');
    await page.getByText('This is not JSON').waitFor();
    await field.fill(JSON.stringify({ ...OWN, caps: [{ over: {}, window: 'day', unit: 'USD', amount: 'much' }], rules: [{ when: { server: 'x' }, verdict: 'allow' }] }));
    await page.getByText('caps[0].amount').waitFor();
    await page.getByText('rules[0].when').waitFor();
    await field.fill(JSON.stringify({ ...OWN, otherwise: 'ask' }));
    await save();
    expect(sent().at(-1)?.policy).toEqual({ ...OWN, otherwise: 'ask' });
  });

  test('an earlier version is put in force by one press, or another one than was chosen', async () => {
    page = await world.open({ hash: '#/budgets' });
    await page.getByRole('tab', { name: 'Earlier versions' }).click();
    const before = sent().length;
    expect(await page.getByRole('button', { name: 'Put back version 3' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Put back version 2' }).click();
    await page.getByText('You have changes that are not saved.').waitFor();
    expect(sent()).toHaveLength(before);
    await save();
    expect(sent().at(-1)).toEqual({ basedOn: 3, policy: { ...OWN, rules: [], otherwise: 'ask' } });
  });

  test.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)('hostile texts leave their place, or a tab fails axe: %s at %d px', async (colorScheme, width) => {
    const [markup, , long] = HOSTILE_TEXTS;
    version = { ...version, policy: { ...OWN, caps: [...OWN.caps, { over: { tool: long.slice(0, 250), payee: markup }, window: 'day', unit: 'USD', amount: `1${'0'.repeat(70)}` }], rules: [{ when: { tool: markup, client: long.slice(0, 250) }, verdict: 'deny', note: long.slice(0, 200) }, ...OWN.rules] } };
    page = await world.open({ hash: '#/budgets', viewport: { width, height: 900 }, colorScheme });
    for (const tab of ['All limits and rules', 'JSON', 'Earlier versions', 'Everyday limits']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
      for (const row of tab === 'All limits and rules' ? ['rule 1', 'limit 1'] : []) await page.getByRole('button', { name: `Edit ${row}`, exact: true }).click();
      expect([tab, await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)]).toEqual([tab, 0]);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => [tab, id, nodes.map(({ html }) => html)])).toEqual([]);
    }
  });
});
