import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runShim } from './bridge/shim-run.ts';

const USAGE = 'usage: shim --home DIR [--upstream NAME] [--client NAME]';

const { values } = parseArgs({ options: { home: { type: 'string' }, upstream: { type: 'string', default: '' }, client: { type: 'string', default: 'default' } }, strict: false });
const { home, upstream, client } = values;
if (typeof home !== 'string' || typeof upstream !== 'string' || typeof client !== 'string') {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
const headless = join(dirname(fileURLToPath(import.meta.url)), 'headless.js');
process.exitCode = await runShim({ home, upstream, client, token: process.env['BURSAR_CLIENT_TOKEN'], launch: { command: process.execPath, args: [headless, '--home', home] } });
// The client closed its side or the app has gone; nothing is left to wait for.
process.stdin.destroy();
