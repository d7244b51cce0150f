// npm run demo, npm run bench, npm run chaos: brings out/ (with --failpoints: out-test/) up to date, then runs a TypeScript program with
// the arguments that follow.
// Standard output is the program's alone (it may be one JSON object), so the build speaks on standard error.
import { ensureBuilt } from './lib/build.mjs';
import { runNode } from './lib/run.mjs';

const given = process.argv.slice(2);
const failpoints = given[0] === '--failpoints';
const [program, ...args] = failpoints ? given.slice(1) : given;
await ensureBuilt({ quiet: true, failpoints });
process.exit(await runNode(program, args));
