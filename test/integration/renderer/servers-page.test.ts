import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { pastedServers } from '../../../src/main/clients/pasted-servers.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import type { ServerHealth, ServerLogLine } from '../../../src/shared/contract/upstream-state.ts';
import type { UpstreamView } from '../../../src/shared/contract/upstreams.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const aServer = (name: string, changes: Partial<UpstreamView> = {}): UpstreamView => ({ name, kind: 'stdio', address: `npx ${name}-mcp`, enabled: true, mcpUrl: `http://127.0.0.1:1/mcp/${name}`, ...changes });

describe.skipIf(findChromium() === undefined)('the Servers page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let upstreams: UpstreamView[];
  let health: ServerHealth[];
  let lines: ServerLogLine[];

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 120_000);
  afterAll(() => world?.close());

  beforeEach(() => {
    upstreams = [aServer('files'), aServer('weather', { kind: 'http', address: 'https://weather.example/mcp', enabled: false })];
    health = [{ name: 'files', state: 'restarting', links: 0, starts: 3, startedAt: 1_800_000_000_000, lastError: { at: 1_800_000_001_000, code: 'UPSTREAM_EXITED', message: 'The server "files" ended (exit code 3).' } }];
    lines = [{ number: 1, at: 1_800_000_000_000, kind: 'event', text: 'Started.', times: 1 }, { number: 2, at: 1_800_000_000_500, kind: 'stderr', text: 'listening', times: 4 }];
    const policy = { number: 4, savedAt: 0, author: 'owner', policy: defaultPolicy('UTC') };
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment: 'sandbox', host: 'headless', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'vault', locked: false, passphraseBeside: true }, networks: [], warnings: [] }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.waiting': () => ({ waiting: [] }),
      'requests.list': () => ({ requests: [] }),
      'accounts.list': () => ({ accounts: [], balances: [] }),
      'upstreams.list': () => ({ upstreams }),
      'upstreams.health': () => ({ servers: health }),
      'upstreams.prices': () => ({ prices: [{ upstream: 'files', tool: 'read', price: '0.01 USDC', dialects: [] }], more: 0, links: [] }),
      'upstreams.logs': () => ({ lines }),
      'payments.spend': () => ({ unit: 'USD', todayUnits: '0', byUpstream: [{ upstream: 'files', todayUnits: '500000', dayCapUnits: '2000000' }] }),
      'payments.find': () => ({ payments: [], count: 0, newest: 0 }),
      'clients.importable': () => ({ servers: [] }),
      'policy.get': () => policy,
      'policy.review': () => ({ problems: [], loosens: ['The limit of 10.00 USD (per day) rises to 50.'], against: 4 }),
      'policy.set': (input: Record<string, unknown>) => ({ ...policy, number: 5, policy: input['policy'] }),
      'upstreams.readPaste': ({ text }: Record<string, unknown>) => {
        try {
          return { servers: [...pastedServers(String(text), { isTaken: (name) => upstreams.some((one) => one.name === name), known: () => undefined, isBursar: () => false })] };
        } catch (error) {
          throw error instanceof BursarError ? new Refusal(error.code, error.message) : error;
        }
      },
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const card = (name: string) => page.getByRole('region', { name, exact: true });

  test('a server that fails looks like one that runs, or one that is off can be started', async () => {
    page = await world.open({ hash: '#/servers' });
    await card('files').getByText('Starting again').waitFor();
    await card('files').getByText('ended (exit code 3)').waitFor();
    expect(await card('files').getByRole('meter').getAttribute('aria-valuetext')).toBe('$0.50 of $2.00');
    await card('weather').getByText('Switched off').waitFor();
    expect(await card('weather').getByRole('button', { name: 'Test weather' }).count()).toBe(0);
    health = [{ name: 'files', state: 'running', links: 1, starts: 4, startedAt: 1_800_000_002_000 }];
    world.emit('upstreams');
    await card('files').getByText('Running', { exact: true }).waitFor();
    await card('files').getByText('None since Bursar started').waitFor();
  });

  test('another command is added than was typed, or before it stood on the page, or a secret can be read there', async () => {
    const before = sent('upstreams.add').length;
    world.answers['upstreams.add'] = ({ name }) => {
      upstreams = [...upstreams, aServer(String(name))];
      return upstreams.at(-1);
    };
    page = await world.open({ hash: '#/servers' });
    await page.getByRole('button', { name: 'Add a server…' }).click();
    await page.getByRole('button', { name: /A program on this computer/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').first().fill('files');
    await dialog.getByLabel('Command').fill('npx -y "@example/my papers" --x=\u200b1');
    await dialog.getByRole('button', { name: 'Add a variable' }).click();
    await dialog.getByLabel('Name').nth(1).fill('API_KEY');
    const value = dialog.getByLabel('Value');
    await value.fill('s3cret');
    expect(await value.getAttribute('type')).toBe('password');
    expect(await dialog.getByRole('region', { name: 'This is what Bursar will run' }).getByRole('listitem').allInnerTexts()).toEqual(['npx', '-y', '@example/my papers', '--x=\\u{200b}1']);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.getByText('There is a server of that name.').waitFor();
    expect(sent('upstreams.add')).toHaveLength(before);
    await dialog.getByLabel('Name').first().fill('papers');
    await dialog.getByLabel('Command').fill('npx -y "@example/my papers"');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await card('papers').waitFor();
    expect(sent('upstreams.add').at(-1)).toEqual({ name: 'papers', transport: { kind: 'stdio', command: 'npx', args: ['-y', '@example/my papers'], env: { API_KEY: 's3cret' } } });
  });

  test('a paste is added unseen, a wrong one is not explained, or one that was not chosen is added too', async () => {
    const before = sent('upstreams.addPasted').length;
    world.answers['upstreams.addPasted'] = ({ add }) => ({ added: (add as { name: string }[]).map(({ name }) => aServer(name)) });
    page = await world.open({ hash: '#/servers' });
    await page.getByRole('button', { name: 'Add a server…' }).click();
    await page.getByRole('button', { name: /Paste its JSON/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('JSON or TOML').fill('{\n  "mcpServers": { "a": { "command": "x" "args": [] } }\n}');
    await dialog.getByRole('button', { name: 'Read it' }).click();
    await dialog.getByText('at line 2, column 41').waitFor();
    const text = JSON.stringify({ mcpServers: { files: { command: 'npx', args: ['files-mcp'], env: { KEY: 's3cret' } }, 'we\u202eather': { command: 'sh', args: ['-c', 'x'] }, old: { url: 'https://a.example/sse' } } });
    await dialog.getByLabel('JSON or TOML').fill(text);
    await dialog.getByRole('button', { name: 'Read it' }).click();
    await dialog.getByText('3 servers stand in it').waitFor();
    expect(sent('upstreams.addPasted')).toHaveLength(before);
    const shown = await dialog.innerText();
    expect(shown).toContain('we\\u{202e}ather');
    expect(shown).toContain('It runs a shell');
    expect(shown).not.toContain('s3cret');
    expect(await dialog.getByRole('checkbox', { name: 'Add old' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Add we' }).uncheck();
    await dialog.getByRole('button', { name: 'Add one server' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('upstreams.addPasted').slice(before)).toEqual([{ text, add: [{ entry: 'files', name: 'files-2' }] }]);
  });

  test('a server is removed by one press, or a budget is loosened without a word', async () => {
    world.answers['upstreams.remove'] = () => {
      upstreams = upstreams.slice(1);
      return {};
    };
    page = await world.open({ hash: '#/servers' });
    await page.getByRole('button', { name: 'Budget of files' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByText('This lets more through than now:').count()).toBe(0);
    await dialog.getByLabel('Most per day').fill('50');
    await dialog.getByText('rises to 50').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('policy.set').at(-1)).toMatchObject({ basedOn: 4, policy: { caps: [{}, {}, { over: { upstream: 'files' }, window: 'day', amount: '50' }] } });
    await page.getByRole('button', { name: 'Remove files' }).click();
    expect(sent('upstreams.remove')).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove files' }).click();
    await card('files').waitFor({ state: 'detached' });
  });

  test('a log stands still, says a line again and again, or does what it holds', async () => {
    page = await world.open({ hash: '#/servers' });
    await card('files').getByText('Log', { exact: true }).click();
    const log = card('files').getByRole('log');
    await log.getByText('listening').waitFor();
    expect(await log.getByText('(4 times)').count()).toBe(1);
    lines = [...lines, { number: 9, at: 1_800_000_002_000, kind: 'stderr', text: HOSTILE_TEXTS[0], times: 1 }];
    await log.getByText(HOSTILE_TEXTS[0]).waitFor();
    expect(await page.title()).not.toBe('owned');
  });

  test.each([
    ['light', 360],
    ['dark', 1280],
  ] as const)('hostile texts leave their place, or the page fails axe: %s at %d px', async (colorScheme, width) => {
    const [markup, bidi, long] = HOSTILE_TEXTS;
    upstreams = [aServer('files', { address: long, authorization: { kind: 'oauth', state: 'needed', issuer: long, scope: '', why: bidi } }), aServer(`a${'b'.repeat(31)}`, { address: markup })];
    health = [{ name: 'files', state: 'stopped', links: 0, starts: 1, lastError: { at: 1, code: 'INTERNAL', message: `${markup} ${long}` } }];
    lines = [{ number: 1, at: 1, kind: 'error', text: `${bidi} ${long}`, times: 2 }];
    page = await world.open({ hash: '#/servers', viewport: { width, height: 900 }, colorScheme });
    await card('files').getByText('Log', { exact: true }).click();
    await card('files').getByRole('log').waitFor();
    await card('files').getByText('One paid tool').click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });
});
