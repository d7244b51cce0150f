import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Config } from '../../../src/main/adapters/home/config.ts';
import { createGate } from '../../../src/main/rpc/gate.ts';
import { createOwnerSessions } from '../../../src/main/rpc/owner-sessions.ts';
import { ROUTES } from '../../../src/shared/contract/contract.ts';
import { manualClock } from '../../support/rpc/contract-fakes.ts';

const root = fileURLToPath(new URL('../../../src', import.meta.url));
const sources = globSync('{main,core,shared}/**/*.ts', { cwd: root }).map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));

describe('I7: a limit can be raised', () => {
  test.each(['policy', 'caps', 'limits', 'paused', 'rules', 'otherwise', 'budget'])('by a member "%s" of config.json', (member) => {
    const config = { version: 1, environment: 'testnet', homeId: '0123456789abcdef', port: 1, networks: {} };
    expect(Config.safeParse(config).success).toBe(true);
    expect(Config.safeParse({ ...config, [member]: {} }).success).toBe(false);
  });

  test('by a variable of the environment that Bursar reads', () => {
    const read = sources.flatMap(({ text }) => [...text.matchAll(/process\.env(?:\.(\w+)|\['(\w+)'\])/g)].map(([, plain, quoted]) => plain ?? quoted));
    expect([...new Set(read)].filter((name) => /POLICY|LIMIT|CAP|BUDGET|ALLOW|APPROVE|PAUSE/.test(name!))).toEqual([]);
    expect(read.length).toBeGreaterThan(0);
    // Only these files look at the environment at all, and none of them knows of policies.
    const readers = sources.filter(({ text }) => text.includes('process.env'));
    expect(readers.filter(({ text }) => /core\/policy|shared\/policy|store\/policies/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('by the code that speaks with agents', () => {
    const agentSide = sources.filter(({ path }) => path.startsWith('main/bridge/') || path.startsWith('main/wallet-tools/'));
    expect(agentSide.length).toBeGreaterThan(20);
    // A type is no way to a store: what such code may do with one, it is handed.
    const imports = agentSide.map(({ path, text }) => ({ path, text: text.replaceAll(/^import type .*$/gm, '') }));
    for (const { path, text } of imports) expect([path, /store\/|rpc\/(router|handlers|gate)/.exec(text)?.[0]]).toEqual([path, undefined]);
  });

  test('by the page that approves, or on real networks without the owner', () => {
    const sessions = createOwnerSessions({ clock: manualClock(), changed: () => {} });
    const gate = createGate({ realMoney: true, sessions });
    for (const name of ['policy.set', 'policy.pause', 'policy.resume'] as const) {
      const { access } = ROUTES[name];
      for (const surface of ['approval', 'cli-approval'] as const) {
        expect(() => gate.require(access, { surface, connection: 'a', host: 'electron' })).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
      }
      for (const surface of ['dashboard', 'cli'] as const) {
        expect(() => gate.require(access, { surface, connection: 'a', host: 'headless' })).toThrow(expect.objectContaining({ code: 'OWNER_REQUIRED' }));
      }
    }
  });

  /** Routes that need no owner, each looked at: they read, or they are the owner's own way in and out, which take the passphrase or only lock; a proof of presence lets nothing through that its own route does not admit. */
  const HARMLESS = new Set([
    'app.status', 'app.dashboard', 'accounts.list', 'approvals.waiting', 'payments.list', 'payments.spend', 'payments.detail', 'payments.dispute', 'payments.cancelCost',
    'policy.get', 'policy.simulate', 'policy.review', 'policy.versions', 'policy.version', 'upstreams.health', 'upstreams.logs', 'upstreams.readPaste', 'ledger.status', 'upstreams.list', 'upstreams.prices', 'upstreams.test', 'app.checkup', 'facilitators.list', 'clients.list', 'clients.preview', 'owner.status', 'owner.setPassphrase', 'owner.unlock', 'owner.lock', 'desktop.get',
    'accounts.receive', 'accounts.alerts', 'payments.find', 'payments.totals', 'payments.facets', 'payments.spending', 'activity.list', 'upstreams.authorized', 'clients.access', 'clients.importable', 'clients.previewProtect',
    'escrows.list', 'escrows.settings', 'escrows.pageConfig', 'discovery.search', 'discovery.listing', 'discovery.sources', 'discovery.approved', 'seeds.list', 'delegations.list', 'requests.list', 'backup.status', 'secrets.hidden', 'presence.get', 'presence.begin', 'presence.prove',
    'settings.get', 'onboarding.get', 'onboarding.set',
  ]);

  test.each(Object.entries(ROUTES).map(([name, { access }]) => ({ name, access })))('by $name, on real networks without an owner session', ({ name, access }) => {
    const gate = createGate({ realMoney: true, sessions: createOwnerSessions({ clock: manualClock(), changed: () => {} }) });
    const reach = [
      { surface: 'cli', host: 'headless' },
      { surface: 'cli', host: 'electron' },
      { surface: 'cli-approval', host: 'headless' },
      { surface: 'cli-approval', host: 'electron' },
      { surface: 'dashboard', host: 'headless' },
      { surface: 'approval', host: 'headless' },
    ] as const;
    const open = reach.filter((caller) => {
      try {
        gate.require(access, { ...caller, connection: 'a' });
        return true;
      } catch {
        return false;
      }
    });
    expect(open.length).toBe(HARMLESS.has(name) ? reach.length : 0);
  });
});
