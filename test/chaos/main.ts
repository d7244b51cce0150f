// npm run chaos [-- --json --calls N --seed S]: paid calls under seeded faults against the real application, then an audit of ledger
// and chains. Exit code 1 unless everything holds.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { failures, jsonReport, textReport } from './report.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, calls: { type: 'string', default: '300' }, seed: { type: 'string' } } });
const whole = (text: string, name: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number above 0.`);
  process.exit(2);
};
const seed = values.seed === undefined ? randomInt(1, 1_000_000_000) : whole(values.seed, 'seed');
const calls = whole(values.calls, 'calls');
console.error(`chaos: ${calls} calls, seed ${seed}`);

// The stock facilitator logs to the console; standard output is the report's alone.
console.log = console.error;
const outcome = await runChaos({ seed, calls, say: (line) => console.error(line) });
const failed = failures(outcome);
for (const problem of failed) console.error(`FAILED  ${problem}`);
process.stdout.write(`${values.json ? JSON.stringify(jsonReport(outcome)) : textReport(outcome)}\n`, () => process.exit(failed.length === 0 ? 0 : 1));
