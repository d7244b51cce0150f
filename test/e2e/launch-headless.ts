import { openOwnerBrowser } from '../support/owner-browser.ts';
import { startApp } from '../support/app-process.ts';
import type { RunningApp } from './running-app.ts';

/** Starts `bursar serve` on play money and a browser with both pages. */
export async function launchHeadless(home: string): Promise<RunningApp> {
  const app = await startApp({ home });
  const owner = await openOwnerBrowser(app.dashboard);
  return {
    host: 'headless',
    home,
    mcp: app.mcp,
    token: app.token,
    pid: app.pid,
    dashboard: owner.dashboard,
    approval: () => Promise.resolve(owner.approval),
    async attendedApproval() {
      await owner.approval.bringToFront();
      return owner.approval;
    },
    async close() {
      await owner.close();
      await app.stop();
    },
    async kill() {
      await owner.close();
      app.child.kill('SIGKILL');
      await app.exited;
    },
  };
}
