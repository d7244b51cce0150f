import type { Environment } from '../../shared/contract/app.ts';
import { createXdgAutostart } from '../adapters/login-item/xdg-autostart.ts';
import { openEngine } from '../compose.ts';
import type { ProgramFiles } from '../program-files.ts';
import { readyText, setupCodeToShow } from '../ready-text.ts';
import { openBrowser } from './open-browser.ts';
import { passphraseFromFile } from './passphrase.ts';
import { serve } from '../serve.ts';

export interface RunServeOptions {
  readonly folder: string;
  readonly environment: Environment;
  readonly files: ProgramFiles;
  readonly version: string;
  readonly port?: number;
  /** Keeps the keys of a new folder in a vault file. */
  readonly vault: boolean;
  readonly json: boolean;
  /** Opens the dashboard in the browser, where somebody sits at the terminal. */
  readonly opens: boolean;
}

/** Runs the application in Node until it is told to stop. Prints where it is reached when it is ready. */
export async function runServe({ folder, environment, files, version, port, vault, json, opens }: RunServeOptions): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const launch = { command: files.node, args: [files.cli, 'serve', '--home', folder, '--network', environment] };
  const engine = await openEngine({ environment, home: folder, host: 'headless', files, version, preferVault: vault, live: true, loginItem: createXdgAutostart({ launch }), abilities: { end } });
  try {
    const passphrase = passphraseFromFile(environment);
    if (engine.wallet.locked && passphrase !== undefined) await engine.unlock(passphrase);
    const served = await serve({ engine, files, host: 'headless', launch, ...(port !== undefined && { port }) });
    // The token lies under the data key: a locked application has none to show.
    const token = engine.wallet.locked ? '' : (await engine.clients.default()).token;
    const dashboard = served.dashboardUrl();
    const httpProblem = served.httpProblem();
    const setupCode = setupCodeToShow(engine);
    if (json) process.stdout.write(`${JSON.stringify({ mcp: served.mcpUrl, token, dashboard, pid: process.pid, ...(setupCode && { setupCode }), ...(httpProblem && { httpProblem }) })}\n`);
    else {
      process.stdout.write(readyText({ engine, files, mcp: served.mcpUrl, httpProblem, token, dashboard, setupCode }));
      if (opens) openBrowser(dashboard);
    }
    await Promise.race([stopSignal(), ended]);
    if (!json && served.running() > 0) process.stdout.write('Ending. Calls that run are told so, and what is signed is followed at the next start. Ctrl-C again ends at once.\n');
    // Whatever still waits for somebody else's answer must not keep a stopped application alive.
    setTimeout(() => process.exit(0), EXIT_WITHIN_MS).unref();
    await served.close();
  } finally {
    await engine.close();
  }
}

/** How long everything may take to end. */
const EXIT_WITHIN_MS = 20_000;

/** Resolves at the first wish to end; a second one ends at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
