// npm run demo, npm run bench: brings out/ up to date, then runs a TypeScript program with the arguments that follow.
// Standard output is the program's alone (it may be one JSON object), so the build speaks on standard error.
import { ensureBuilt } from './lib/build.mjs';
import { runNode } from './lib/run.mjs';

const [program, ...args] = process.argv.slice(2);
await ensureBuilt({ quiet: true });
process.exit(await runNode(program, args));
