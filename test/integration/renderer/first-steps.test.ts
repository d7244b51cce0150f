import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { ClientRegistration } from '../../../src/shared/contract/clients.ts';
import type { OnboardingView } from '../../../src/shared/contract/onboarding.ts';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const usdc = { network: 'eip155:84532', networkName: 'Base Sepolia', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC', decimals: 6 };
const account = { id: 'a', label: 'EVM account', namespace: 'eip155', address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', source: 'seed' };
const FAUCET = { name: 'Circle Faucet', url: 'https://faucet.circle.com/', gives: 'USDC' };
const payment = {
  id: 'pay_1', createdAt: 1, updatedAt: 2, client: 'cli', upstream: '127.0.0.1:1', tool: 'GET /sun', dialect: 'x402-v2', scheme: 'exact', flow: 'authorize',
  money: { asset: usdc, units: '10000' }, payee: account.address, payer: account.address, status: 'delivered', columns: { decision: 'approved', money: 'settled', service: 'delivered' },
  reason: '', reasonCode: '', transaction: `0x${'ab'.repeat(32)}`, rule: '',
};

describe.skipIf(findChromium() === undefined)('the first steps in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let onboarding: OnboardingView;
  let client: ClientRegistration;
  let payments: object[];

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 120_000);
  afterAll(() => world?.close());

  const inEnvironment = (environment: 'sandbox' | 'testnet' | 'mainnet', units = '1000000000') => {
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment, host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'keychain', locked: false, passphraseBeside: false }, networks: [], warnings: [] }),
      'accounts.list': () => ({ accounts: [account], balances: [{ accountId: 'a', asset: usdc, balance: { asset: usdc, units }, readAt: 1, stale: false }] }),
    });
  };

  beforeEach(() => {
    onboarding = { closed: false, passed: [], demo: { url: 'http://127.0.0.1:1/sun' }, faucets: [] };
    client = { kind: 'claude-desktop', name: 'Claude Desktop', path: '/home/somebody/claude_desktop_config.json', state: 'unregistered', undoable: false, hasLink: false };
    payments = [];
    inEnvironment('sandbox');
    Object.assign(world.answers, {
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: false, locked: false }),
      'approvals.waiting': () => ({ waiting: [] }),
      'policy.get': () => ({ number: 1, savedAt: 1, author: 'Bursar', policy: { version: 1, timeZone: 'UTC', caps: [{ over: {}, window: 'call', unit: 'USD', amount: '1.00' }, { over: {}, window: 'day', unit: 'USD', amount: '10.00' }], rules: [], otherwise: 'ask' } }),
      'payments.list': () => ({ payments, more: false }),
      'clients.list': () => ({ clients: [client], snippets: { all: '', each: '' }, httpSnippet: '', httpUrl: '' }),
      'clients.access': () => ({ clients: [], tokenUrl: '' }),
      'settings.get': () => ({ networks: [], networksChange: false, notifications: { supported: false, on: { approvals: true, warnings: true } }, autostart: { supported: false, on: false }, folder: { path: '/h', opens: false }, starts: { sandbox: 'a', testnet: 'b', mainnet: 'npm start -- --network mainnet' }, startsByItself: false, reset: { word: 'delete', keeps: false, passphrase: false } }),
      'onboarding.get': () => onboarding,
      'onboarding.set': ({ passed, closed }: Record<string, unknown>) => {
        onboarding = { ...onboarding, closed: closed === true || onboarding.closed, passed: passed === undefined ? onboarding.passed : [...onboarding.passed, passed as 'money'] };
        return onboarding;
      },
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const open = async (options: Parameters<PageWorld['open']>[0] = {}) => {
    page = await world.open({ hash: '#/start', ...options });
    await page.getByRole('button', { name: 'Go on' }).waitFor();
  };

  test.each(['light', 'dark'] as const)('a screen reader cannot use them in the %s theme', async (colorScheme) => {
    await open({ colorScheme });
    for (const name of ['You have play money', 'Make a paid call', 'Let your agent use it']) {
      const step = page.getByRole('button', { name });
      if ((await step.getAttribute('aria-expanded')) === 'false') await step.press('Enter');
      expect(await seriousViolations(page)).toEqual([]);
    }
  });

  test('test money comes from a page that opens by itself, or in this window', async () => {
    onboarding = { closed: false, passed: [], faucets: [{ network: usdc.network, networkName: 'Base Sepolia', faucets: [FAUCET] }] };
    inEnvironment('testnet', '0');
    await open();
    const link = page.getByRole('link', { name: 'Circle Faucet: USDC' });
    expect([await link.getAttribute('href'), await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([FAUCET.url, '_blank', 'noopener noreferrer']);
    await page.getByText('Nothing has arrived yet.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Make a paid call' }).click();
    expect(await page.getByRole('button', { name: 'Buy it' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Find a paid service' }).getAttribute('href')).toContain('/discover');
  });

  test('real money begins without its limits on screen', async () => {
    onboarding = { closed: false, passed: [], faucets: [] };
    inEnvironment('mainnet', '0');
    await open();
    for (const words of ['1.00 USD', '10.00 USD', 'Every payment within them asks you first.', 'Begin small']) await page.getByText(words, { exact: false }).first().waitFor();
  });

  test('what the seller answered runs in the page, or the amount and the transaction are not shown', async () => {
    world.answers['onboarding.buy'] = () => {
      payments = [payment];
      return { status: 200, text: HOSTILE_TEXTS.join(' '), payment };
    };
    await open();
    await page.getByRole('button', { name: 'Make a paid call' }).click();
    await page.getByRole('button', { name: 'Buy it' }).click();
    const step = page.getByRole('region', { name: 'The answer' });
    await step.waitFor();
    expect(await step.innerText()).toContain(HOSTILE_TEXTS[0].slice(0, 10));
    await page.getByText('0.01 USDC').waitFor();
    await page.getByText(payment.transaction).waitFor();
  });

  test('a refused first call hides why, or looks paid', async () => {
    world.answers['onboarding.buy'] = () => {
      throw new Refusal('POLICY_DENIED', 'The most per day is used up.');
    };
    await open();
    await page.getByRole('button', { name: 'Make a paid call' }).click();
    await page.getByRole('button', { name: 'Buy it' }).click();
    await page.getByRole('alert').getByText('The most per day is used up.').waitFor();
    await page.getByText('0 of 3').waitFor();
  });

  test('a client’s file is written before its change was shown, or the step closes before its owner saw that it is done', async () => {
    const written: unknown[] = [];
    world.answers['clients.preview'] = () => ({ path: client.path, before: '{}', after: '{\n  "mcpServers": {}\n}', changes: true, digest: 'd1' });
    world.answers['clients.register'] = (input) => {
      written.push(input);
      client = { ...client, state: 'registered' };
      return client;
    };
    await open();
    await page.getByRole('button', { name: 'Let your agent use it' }).click();
    await page.getByRole('button', { name: 'Register in Claude Desktop' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"mcpServers": {}').waitFor();
    expect(written).toEqual([]);
    await dialog.getByRole('button', { name: 'Write it' }).click();
    await page.getByText('Registered. Restart it once.').waitFor();
    expect(written).toEqual([{ kind: 'claude-desktop', entries: 'all', digest: 'd1' }]);
  });

  test('what was only gone past looks done, or the way to real money is missing at the end', async () => {
    await open();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Later' }).first().click();
    await page.getByRole('button', { name: 'Later' }).first().click();
    await page.getByText('3 of 3').waitFor();
    expect(await page.getByLabel('skipped').count()).toBe(2);
    await page.getByText('When you want to use real money').click();
    await page.getByText('npm start -- --network mainnet').waitFor();
    await page.getByRole('button', { name: 'Close the first steps' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(onboarding.closed).toBe(true);
  });
});
