// npm start [-- --headless --home DIR --network sandbox|testnet|mainnet --port N]: builds where needed, says which host it
// takes and why, and runs the application there until it ends or is told to.
import { ensureBuilt } from './lib/build.mjs';
import { chooseHost, hostCommand, hostLine } from './lib/host.mjs';
import { runProgram } from './lib/run.mjs';

const given = process.argv.slice(2);
const host = await chooseHost({ headless: given.includes('--headless') });
await ensureBuilt({ quiet: true });
console.log(hostLine(host));
const { program, args, env } = hostCommand(host, given.filter((arg) => arg !== '--headless'));
process.exit(await runProgram(program, args, { env }));
