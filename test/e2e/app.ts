import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from '@playwright/test';
import type { HostName } from './hosts.ts';
import { launchElectron } from './launch-electron.ts';
import { launchHeadless } from './launch-headless.ts';
import type { RunningApp } from './running-app.ts';

/** Set by the projects of playwright.config.ts. */
export interface HostOptions {
  host: HostName;
}

interface WorkerFixtures extends HostOptions {
  /** One application that the worker's tests share; a test leaves nothing waiting in it. */
  app: RunningApp;
}

interface TestFixtures {
  /** Starts an application of the test's own, on a fresh home or a given one. Ended after the test. */
  launch: (home?: string) => Promise<RunningApp>;
  /** Ends no test before its popup is gone: the next test's is a new one and must not be taken for it. */
  popupGone: void;
}

const start = (host: HostName, home: string): Promise<RunningApp> => (host === 'headless' ? launchHeadless(home) : launchElectron(host, home));
const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'bursar-e2e-'));
const remove = (home: string): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

export const test = base.extend<TestFixtures, WorkerFixtures>({
  host: ['headless', { option: true, scope: 'worker' }],
  app: [
    async ({ host }, use) => {
      const home = await newHome();
      const app = await start(host, home);
      await use(app);
      await app.close();
      await remove(home);
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  popupGone: [
    async ({ app }, use) => {
      await use();
      await expect.poll(() => app.electron?.windows().filter((page) => /\/approve(#.*)?$/.test(page.url())).length ?? 0).toBe(0);
    },
    { auto: true },
  ],
  launch: async ({ host }, use) => {
    const started: RunningApp[] = [];
    await use(async (home) => {
      const app = await start(host, home ?? (await newHome()));
      started.push(app);
      return app;
    });
    for (const app of started) await app.close().catch(() => undefined);
    for (const { home } of started) await remove(home);
  },
});
export { expect } from '@playwright/test';
