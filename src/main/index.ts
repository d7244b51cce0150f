import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Environment } from '../shared/contract/app.ts';
import { systemClock } from './adapters/clock.ts';
import { openEngine } from './compose.ts';
import { electronAbilities } from './host/abilities.ts';
import type { Engine } from './engine.ts';
import { claimInstance } from './host/claim-instance.ts';
import { startElectronHost } from './host/electron-host.ts';
import { createLinkInbox } from './host/link-inbox.ts';
import { createLoginItem } from './host/login-item.ts';
import { openExternal } from './host/open-external.ts';
import { failToStart } from './host/start-error.ts';
import { touchId } from './host/touch-id.ts';
import { findUpdateFeed } from './host/update-feed.ts';
import { locate } from './locate.ts';
import { programFiles } from './program-files.ts';
import { readyText } from './ready-text.ts';
import { desktopSettings } from './rpc/handlers/desktop.ts';
import { serve } from './serve.ts';
import { VERSION } from './version.ts';
import { readPages } from './web/pages.ts';

/** The Electron entry: the same engine as headless, with windows and a tray around it. */
async function main(): Promise<void> {
  const entry = fileURLToPath(import.meta.url);
  const { values } = parseArgs({
    args: process.argv.slice(1),
    strict: false,
    options: { home: { type: 'string' }, network: { type: 'string' }, port: { type: 'string' }, hidden: { type: 'boolean' } },
  });
  const files = programFiles(dirname(entry));
  const network = Environment.safeParse(values.network).data;
  const { folder, environment } = locate({ ...(typeof values.home === 'string' && { home: values.home }), ...(network && { network }) }, files);
  const links = createLinkInbox();
  const profile = join(folder, 'electron');
  if (!claimInstance({ userData: profile, onLink: links.take })) process.exit(0);
  try {
    // A shim that starts the application must not put a window before the owner, nor may a login.
    const options = ['--home', folder, '--network', environment, '--hidden'];
    // An AppImage is mounted elsewhere at each start; the file that the owner has is named by its variable.
    const program = files.packed ? { command: process.env['APPIMAGE'] ?? process.execPath, args: [] } : { command: process.execPath, args: [entry], env: { BURSAR_NODE: files.node } };
    const launch = { ...program, args: [...program.args, ...options] };
    const updates = findUpdateFeed();
    const engine = await openEngine({
      environment, home: folder, host: 'electron', files, version: VERSION, live: true, openExternal, touchId, abilities: electronAbilities(program),
      loginItem: createLoginItem(launch),
      desktop: { updates: updates?.kind ?? 'none' },
    });
    const served = await serve({ engine, files, host: 'electron', launch, ...(typeof values.port === 'string' && { port: Number(values.port) }) });
    if (values.hidden !== true) {
      const token = engine.wallet.locked ? '' : (await engine.clients.default()).token;
      process.stdout.write(readyText({ engine, files, mcp: served.mcpUrl, httpProblem: served.httpProblem(), token, dashboard: '', setupCode: '' }));
    }
    await startElectronHost({
      environment,
      router: engine.router,
      events: engine.events,
      pages: await readPages(files.pages),
      preloads: { dashboard: join(files.preloads, 'dashboard.cjs'), approval: join(files.preloads, 'approval.cjs') },
      resources: files.resources,
      profile,
      openDashboardOnStart: values.hidden !== true,
      links,
      approvals: {
        waiting: () => engine.approvals.waiting().map(({ payment }) => ({ paymentId: payment.id, client: payment.client, upstream: payment.upstream })),
        setWindowVisible: (visible) => engine.approvals.setWindowVisible(visible),
        rejectCurrent: () => engine.approvals.rejectShown(),
      },
      underWay: () => engine.underWay(),
      warnings: () => warningsOf(engine),
      tells: (kind) => engine.home.config().notifications?.[kind] ?? true,
      settings: () => desktopSettings(engine.home.config()),
      updates: await updates?.open(engine.log),
      lock: () => engine.lock(),
      shutdown: async () => {
        await served.close();
        await engine.close();
      },
      onSecretsShown: (listener) => engine.secretsShown.subscribe(listener),
      disconnected: (connection) => {
        engine.sessions.end(connection);
        engine.secretsShown.hide(connection);
      },
      clock: systemClock,
      log: engine.log,
    });
  } catch (error) {
    await failToStart(error);
  }
}

/** As the dashboard reads them. */
async function warningsOf({ router }: Engine): Promise<readonly string[]> {
  const reply = await router.dispatch('app.status', {}, { surface: 'dashboard', connection: 'host', host: 'electron' });
  return reply.ok ? (reply.value as { readonly warnings: readonly string[] }).warnings : [];
}

void main();
