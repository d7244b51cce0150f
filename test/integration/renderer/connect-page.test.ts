import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { ClientKind, ClientRegistration, ClientServer } from '../../../src/shared/contract/clients.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const aClient = (kind: ClientKind, name: string, changes: Partial<ClientRegistration> = {}): ClientRegistration => ({ kind, name, path: `/home/ada/.config/${name}/mcp.json`, state: 'unregistered', undoable: false, hasLink: false, ...changes });
const aServer = (name: string, changes: Partial<ClientServer> = {}): ClientServer => ({ kind: 'cursor', client: 'Cursor', path: '/home/ada/.cursor/mcp.json', name, transport: 'stdio', address: 'npx -y files --api-key (hidden)', secrets: ['API_KEY'], state: 'free', ...changes });
const preview = { path: '/home/ada/.cursor/mcp.json', before: '{\n  "mcpServers": {\n    "files": {\n      "command": "npx"\n    }\n  }\n}', after: '{\n  "mcpServers": {\n    "files": {\n      "command": "/opt/node"\n    }\n  }\n}', changes: true, digest: 'd1' };

describe.skipIf(findChromium() === undefined)('clients and their servers in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let clients: ClientRegistration[];
  let servers: ClientServer[];

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());

  beforeEach(() => {
    clients = [
      aClient('cursor', 'Cursor', { hasLink: true }),
      aClient('codex', 'Codex', { state: 'registered', undoable: true }),
      aClient('zed', 'Zed', { state: 'malformed' }),
      aClient('claude-desktop', 'Claude Desktop', { state: 'absent' }),
      aClient('vscode', 'VS Code', { state: 'absent', hasLink: true }),
    ];
    servers = [aServer('files'), aServer('remote', { transport: 'http', address: 'https://api.example.com/mcp', secrets: [], state: 'protected', upstream: 'remote' }), aServer('old', { address: '', secrets: [], state: 'unfit', problem: 'It speaks the older SSE transport, which Bursar does not.' })];
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment: 'sandbox', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'vault', locked: false, passphraseBeside: true }, networks: [], warnings: [] }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.waiting': () => ({ waiting: [] }),
      'accounts.list': () => ({ accounts: [], balances: [] }),
      'upstreams.list': () => ({ upstreams: [{ name: 'demo', kind: 'http', address: 'http://127.0.0.1:2/mcp', enabled: true, mcpUrl: 'http://127.0.0.1:1/mcp/demo' }] }),
      'upstreams.prices': () => ({ prices: [], more: 0, links: [] }),
      'clients.list': () => ({ clients, snippets: { all: '{ "mcpServers": {} }', each: '{}' }, httpSnippet: '{}', httpUrl: 'http://127.0.0.1:1/mcp' }),
      'upstreams.health': () => ({ servers: [] }),
      'payments.spend': () => ({ unit: 'USD', todayUnits: '0', byUpstream: [] }),
      'payments.find': () => ({ payments: [], count: 0, newest: 0 }),
      'clients.importable': () => ({ servers }),
      'clients.previewProtect': () => ({ ...preview, upstream: 'files' }),
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);

  test('a client that is not here stands among those that are', async () => {
    page = await world.open({ hash: '#/connect' });
    const card = page.getByRole('region', { name: 'Clients on this computer' });
    await card.getByRole('heading', { name: 'Cursor' }).waitFor();
    expect(await card.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([expect.stringMatching(/^Cursor/), expect.stringMatching(/^Codex/), expect.stringMatching(/^Zed/)]);
    expect(await card.getByText('Claude Desktop').isVisible()).toBe(false);
    await card.getByText('2 more that Bursar knows').click();
    await card.getByText('Claude Desktop').waitFor();
    expect(await card.getByRole('button', { name: /Zed$/ }).count()).toBe(0);
  });

  test('a server is protected without its owner having seen the change, or another change than was shown', async () => {
    let stale = true;
    world.answers['clients.protect'] = () => {
      if (stale) throw new Refusal('APPROVAL_STALE', 'The file changed.');
      servers = servers.map((server) => (server.name === 'files' ? { ...server, state: 'protected' as const } : server));
      return servers[0];
    };
    page = await world.open({ hash: '#/servers' });
    await page.getByRole('button', { name: 'Protect files' }).click();
    const dialog = page.getByRole('dialog', { name: 'Protect files' });
    await dialog.getByText('"command": "/opt/node"').waitFor();
    expect(sent('clients.protect')).toEqual([]);
    world.answers['clients.previewProtect'] = () => ({ ...preview, after: preview.after.replace('/opt/node', '/new/node'), digest: 'd2', upstream: 'files' });
    await dialog.getByRole('button', { name: 'Protect it' }).click();
    await dialog.getByText('The file changed.').waitFor();
    await dialog.getByText('"command": "/new/node"').waitFor();
    stale = false;
    await dialog.getByRole('button', { name: 'Protect it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('clients.protect')).toEqual([{ kind: 'cursor', name: 'files', digest: 'd1' }, { kind: 'cursor', name: 'files', digest: 'd2' }]);
    await page.getByRole('button', { name: 'Put back files' }).waitFor();
  });

  test('a protected server cannot be put back, or an import takes another one', async () => {
    world.answers['clients.unprotect'] = () => ({});
    world.answers['clients.import'] = () => ({ upstream: 'files' });
    page = await world.open({ hash: '#/servers' });
    await page.getByRole('button', { name: 'Put back remote' }).click();
    await page.getByRole('button', { name: 'Import files' }).click();
    await expect.poll(() => sent('clients.import')).toEqual([{ kind: 'cursor', name: 'files' }]);
    expect(sent('clients.unprotect')).toEqual([{ kind: 'cursor', name: 'remote' }]);
    expect(await page.getByRole('button', { name: 'Protect old' }).count()).toBe(0);
  });

  test('an install link is made before the owner asks for it, or opens by itself', async () => {
    world.answers['clients.link'] = () => ({ url: 'cursor://anysphere.cursor-deeplink/mcp/install?name=bursar-all&config=e30%3D' });
    page = await world.open({ hash: '#/connect' });
    await page.getByRole('button', { name: 'Install link for Cursor' }).click();
    const link = page.getByRole('link', { name: 'Add to Cursor' });
    expect(await link.getAttribute('href')).toMatch(/^cursor:\/\/anysphere/);
    expect([sent('clients.link').length, page.context().pages().length]).toEqual([1, 1]);
  });

  test.each([
    ['light', 360],
    ['dark', 360],
    ['light', 1280],
    ['dark', 1280],
  ] as const)('hostile names leave their place, or the page fails axe: %s at %d px', async (colorScheme, width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    servers = [...servers, aServer(markup, { address: long }), aServer(bidi, { secrets: [long] }), aServer(long, { state: 'imported' })];
    page = await world.open({ hash: '#/servers', viewport: { width, height: 900 }, colorScheme });
    await page.getByText(markup).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });
});
