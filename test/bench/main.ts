// npm run bench -- NAME [--json]: benchmarks print ratios against a baseline of the same run, because machines are noisy.
import { parseArgs } from 'node:util';
import { decide } from './decide.ts';
import { detect } from './detect.ts';
import { wallet } from './wallet.ts';
import { paidCall } from './paid-call.ts';

const BENCHES: Readonly<Record<string, () => Promise<{ readonly json: object; readonly text: string }>>> = { 'paid-call': paidCall, decide, detect, wallet };

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean', default: false } } });
const bench = BENCHES[positionals[0] ?? ''];
if (!bench) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--json]`);
  process.exit(2);
}
const { json, text } = await bench();
console.log(values.json ? JSON.stringify(json) : text);
process.exit(0);
