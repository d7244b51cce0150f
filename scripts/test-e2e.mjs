// npm run test:e2e [-- playwright arguments]: the browser tests, with a Chromium found or installed first.
import { chromiumOrExit } from './ensure-chromium.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { runNode, toolPath } from './lib/run.mjs';

const chromium = await chromiumOrExit();
await ensureBuilt();
process.exit(await runNode(toolPath('@playwright/test', 'playwright'), ['test', ...process.argv.slice(2)], { env: { BURSAR_CHROMIUM: chromium } }));
