import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { ClientAccessView, NewCredential } from '../../../src/shared/contract/client-access.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const aClient = (name: string, changes: Partial<ClientAccessView> = {}): ClientAccessView => ({ name, credential: 'key', scopes: ['payment_context:read', 'x402:execute'], createdAt: 1, isDefault: false, ...changes });
const KEY = `brs_${'k'.repeat(43)}`;
const SECRET = `brs_secret_${'s'.repeat(43)}`;

describe.skipIf(findChromium() === undefined)('the Clients page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let clients: ClientAccessView[];

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());

  beforeEach(() => {
    clients = [aClient('default', { isDefault: true, lastSeen: Date.now() }), aClient('cursor', { scopes: ['payment_context:read', 'email_payments:write'] }), aClient('agent', { credential: 'oauth', clientId: '7b0c4c1e-0b57-4a53-9a4f-8e8c5d1f2a60' })];
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment: 'sandbox', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'vault', locked: false, passphraseBeside: true }, networks: [], warnings: [] }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.waiting': () => ({ waiting: [] }),
      'accounts.list': () => ({ accounts: [], balances: [] }),
      'clients.access': () => ({ clients, tokenUrl: 'http://127.0.0.1:1/oauth/token' }),
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);

  test('hides what a client may do, when it came, or its client id', async () => {
    page = await world.open({ hash: '#/clients' });
    const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^New (key|secret)/ }) });
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(3);
    expect(await rows.nth(1).getByRole('list').innerText()).toBe('Look\nE-mail');
    expect(await rows.nth(1).innerText()).toContain('Never');
    expect(await rows.nth(2).innerText()).toContain('7b0c4c1e-0b57-4a53-9a4f-8e8c5d1f2a60');
    expect(await page.getByRole('button', { name: 'Revoke default' }).count()).toBe(0);
  });

  test('adds a client with a power that its owner did not tick, or shows its key twice', async () => {
    world.answers['clients.add'] = (input): NewCredential => {
      clients = [...clients, aClient('claude code')];
      return { credential: 'key', name: String(input['name']), scopes: ['payment_context:read', 'x402:execute'], token: KEY };
    };
    page = await world.open({ hash: '#/clients', permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Add a client…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Connect and look').isDisabled()).toBe(true);
    const added = sent('clients.add').length;
    await dialog.getByLabel('Name').fill('-');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Use 1 to 40 letters').waitFor();
    expect(sent('clients.add')).toHaveLength(added);
    await dialog.getByLabel('Name').fill('claude code');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(KEY, { exact: true }).waitFor();
    expect(sent('clients.add').slice(added)).toEqual([{ name: 'claude code', credential: 'key', scopes: ['payment_context:read', 'x402:execute'] }]);
    await dialog.getByRole('button', { name: 'Copy api key' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(KEY);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('claude code', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a client…' }).click();
    await dialog.getByLabel('Name').waitFor();
    expect(await page.content()).not.toContain(KEY);
  });

  test('adds an OAuth client without its id, secret or endpoint', async () => {
    world.answers['clients.add'] = (input): NewCredential => ({ credential: 'oauth', name: String(input['name']), scopes: ['payment_context:read'], clientId: 'the-id', clientSecret: SECRET, tokenUrl: 'http://127.0.0.1:1/oauth/token' });
    page = await world.open({ hash: '#/clients' });
    await page.getByRole('button', { name: 'Add a client…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('crew');
    await dialog.getByLabel('OAuth').check();
    await dialog.getByLabel('Have calls paid').uncheck();
    await dialog.getByLabel('Send money to your contacts').check();
    const added = sent('clients.add').length;
    await page.keyboard.press('Enter');
    for (const shown of ['the-id', SECRET]) await dialog.getByText(shown, { exact: true }).waitFor();
    expect(sent('clients.add').slice(added)).toEqual([{ name: 'crew', credential: 'oauth', scopes: ['payment_context:read', 'contact_payments:write'] }]);
  });

  test('changes what a client may do otherwise than it was ticked, or hides why it could not', async () => {
    page = await world.open({ hash: '#/clients' });
    await page.getByRole('button', { name: 'Change what cursor may do' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Send money by e-mail').isChecked()).toBe(true);
    await dialog.getByLabel('Send money by e-mail').uncheck();
    await dialog.getByLabel('Have calls paid').check();
    world.answers['clients.setScopes'] = () => {
      throw new Refusal('DISK_FULL', 'The disk is full.');
    };
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The disk is full.').waitFor();
    world.answers['clients.setScopes'] = () => aClient('cursor');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('clients.setScopes').at(-1)).toEqual({ name: 'cursor', scopes: ['payment_context:read', 'x402:execute'] });
  });

  test('revokes or rotates at a single press, or another client than was meant', async () => {
    world.answers['clients.revoke'] = (input) => {
      clients = clients.filter(({ name }) => name !== input['name']);
      return { name: input['name'], revoked: true };
    };
    world.answers['clients.rotate'] = (): NewCredential => ({ credential: 'oauth', name: 'agent', scopes: ['payment_context:read'], clientId: 'the-id', clientSecret: SECRET, tokenUrl: '' });
    page = await world.open({ hash: '#/clients' });
    await page.getByRole('button', { name: 'Revoke cursor' }).click();
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('clients.revoke')).toEqual([]);
    await page.getByRole('button', { name: 'Revoke cursor' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Revoked cursor.').waitFor();
    expect(sent('clients.revoke')).toEqual([{ name: 'cursor' }]);
    await expect.poll(() => page.getByRole('button', { name: 'Revoke cursor' }).count()).toBe(0);
    await page.getByRole('button', { name: 'New secret for agent' }).click();
    expect(sent('clients.rotate')).toEqual([]);
    await dialog.getByRole('button', { name: 'Make a new one' }).click();
    await dialog.getByText(SECRET, { exact: true }).waitFor();
    expect(sent('clients.rotate')).toEqual([{ name: 'agent' }]);
  });

  test.each([360, 1280])('runs over the edge at %i px, with names and addresses of any length', async (width) => {
    const [, , long] = HOSTILE_TEXTS;
    clients = [...clients, aClient(long, { scopes: ['payment_context:read', 'contact_payments:write', 'address_payments:write', 'email_payments:write', 'sms_payments:write', 'x402:execute'] })];
    page = await world.open({ hash: '#/clients', viewport: { width, height: 800 } });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await page.getByRole('button', { name: 'Add a client…' }).waitFor();
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'Add a client…' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await page.getByRole('dialog').evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0);
  });
});
