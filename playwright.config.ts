import { defineConfig } from '@playwright/test';
import type { HostOptions } from './test/e2e/app.ts';
import { HOSTS, type HostName } from './test/e2e/hosts.ts';

/** HOST=headless|double|electron runs the specs in one host; without it they run in every one that needs no Electron binary. */
const chosen = process.env['HOST'];
const known = HOSTS.find((host) => host === chosen);
if (chosen !== undefined && known === undefined) throw new Error(`HOST has to be one of ${HOSTS.join(', ')}, not "${chosen}".`);
// The double's stand-in for the executable is a shell script.
const byDefault: readonly HostName[] = process.platform === 'win32' ? ['headless'] : ['headless', 'double'];

export default defineConfig<object, HostOptions>({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  globalSetup: './test/e2e/say-limits.ts',
  // Each worker runs an application with its chains and a browser.
  workers: 1,
  timeout: 60_000,
  reporter: 'list',
  forbidOnly: true,
  projects: (known === undefined ? byDefault : [known]).map((host) => ({ name: host, use: { host } })),
});
