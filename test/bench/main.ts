// npm run bench -- NAME [--json]: benchmarks print ratios against a baseline of the same run, because machines are noisy.
import { parseArgs } from 'node:util';
import { bridge } from './bridge.ts';
import { decide } from './decide.ts';
import { desktop } from './desktop.ts';
import { detect } from './detect.ts';
import { growth } from './growth.ts';
import { paidCall } from './paid-call.ts';
import { wallet } from './wallet.ts';

interface Report {
  readonly json: object;
  readonly text: string;
  /** False where a goal is missed; the command then ends with 1. */
  readonly ok?: boolean;
}

const BENCHES: Readonly<Record<string, () => Promise<Report>>> = { bridge, 'paid-call': paidCall, decide, desktop, detect, growth, wallet };

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean', default: false } } });
const bench = BENCHES[positionals[0] ?? ''];
if (!bench) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--json]`);
  process.exit(2);
}
const { json, text, ok = true } = await bench();
console.log(values.json ? JSON.stringify(json) : text);
process.exit(ok ? 0 : 1);
