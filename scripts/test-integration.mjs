// npm run test:integration [-- vitest arguments]: both builds are brought up to date once, before the first test; none is made while tests run.
import { ensureBuilt } from './lib/build.mjs';
import { runNode, toolPath } from './lib/run.mjs';

await ensureBuilt();
await ensureBuilt({ failpoints: true });
process.exit(await runNode(toolPath('vitest'), ['run', '--project', 'integration', ...process.argv.slice(2)]));
