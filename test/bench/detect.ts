import { createToolFacts } from '../../src/core/challenges/tool-facts.ts';
import { demandIn } from '../../src/core/payments/demand-in.ts';
import { createInterceptor } from '../../src/main/bridge/interceptor.ts';
import { createServerWords } from '../../src/main/bridge/server-words.ts';
import { scanPayload, type MessageScan } from '../../src/main/bridge/scan.ts';
import { median, rounded } from './statistics.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const SMALL_ROUNDS = 3_000;
const LARGE_ROUNDS = 9;
/** One call is shorter than the clock can tell. */
const CALLS_A_ROUND = 20;

/** A tool result of about `size` characters. `fill` is what it is full of. */
type Result = (fill: string) => object;

const text = (fill: string) => [{ type: 'text', text: fill }];
/** Prose with the quotes, escapes and numbers of real results. */
const PROSE = 'The forecast for "Berlin" is 21.5 °C at 12:30, see C:\\data\\one.txt.\n';
/** The same with words that payments use, as a page about them has. */
const SPEAKS_OF_PAYING = 'An answer with "x402Version" and "accepts" asks for money; -32042 is "payment required": 402. ';

/** Results that ask for nothing, by what makes them cheap or dear to tell. */
const KINDS: readonly (readonly [name: string, result: Result, fill: string])[] = [
  ['a result', (fill) => ({ content: text(fill) }), PROSE],
  ['a result that speaks of paying', (fill) => ({ content: text(fill) }), SPEAKS_OF_PAYING],
  ['a result with _meta', (fill) => ({ content: text(fill), _meta: { trace: 'a1' } }), PROSE],
  ['a result whose _meta speaks of paying', (fill) => ({ content: text(fill), _meta: { 'x402/payment-response': { success: true } } }), PROSE],
  ['an error', (fill) => ({ isError: true, content: text(fill) }), PROSE],
  ['an error that speaks of paying', (fill) => ({ isError: true, content: text(fill) }), SPEAKS_OF_PAYING],
  ['an error in JSON that speaks of paying', (fill) => ({ isError: true, structuredContent: { log: fill }, content: text('{"x402Version":2}') }), SPEAKS_OF_PAYING],
];

const message = (result: Result, fill: string, size: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, result: result(fill.repeat(Math.ceil(size / JSON.stringify(fill).length))) });

/** What the bridge does with an answer of a tool before it knows that payments do not concern it. The scan is there anyway. */
function createDetection(): (scan: MessageScan, text: string) => boolean {
  const never = () => Promise.reject(new Error('nothing is paid here'));
  const { looksPaid } = createInterceptor({
    payments: { onAnswer: never },
    words: createServerWords(() => 0),
    facts: createToolFacts({ now: () => 0, changed: () => {} }),
    showsCosts: () => true,
  });
  return (scan, answer) => {
    if (!looksPaid(scan, answer)) return false;
    return demandIn({ text: answer }, {}) !== undefined;
  };
}

/** Microseconds of one detection, each of `rounds` the mean of some calls. */
function timesOf(answer: string, rounds: number, calls: number): readonly number[] {
  const detects = createDetection();
  const [scan] = scanPayload(answer).messages;
  if (!scan) throw new Error('no message');
  if (detects(scan, answer)) throw new Error('a result that asks for nothing was taken for a demand');
  return Array.from({ length: rounds }, () => {
    const begun = performance.now();
    for (let call = 0; call < calls; call++) detects(scan, answer);
    return ((performance.now() - begun) * 1000) / calls;
  });
}

/** What it costs to see that a tool result asks for nothing: a kilobyte of each kind, and how that grows. */
export async function detect(): Promise<{ json: object; text: string }> {
  const kinds = KINDS.map(([name, result, fill]) => {
    timesOf(message(result, fill, KILOBYTE), SMALL_ROUNDS, CALLS_A_ROUND); // the compiler's turn
    const small = median(timesOf(message(result, fill, KILOBYTE), SMALL_ROUNDS, CALLS_A_ROUND));
    const one = median(timesOf(message(result, fill, MEGABYTE), LARGE_ROUNDS, 1));
    const four = median(timesOf(message(result, fill, 4 * MEGABYTE), LARGE_ROUNDS, 1));
    return { name, p50us: rounded(small), usPerMB: rounded(one), growth: rounded(four / Math.max(one, 1) / 4) };
  });
  const worst = (of: (kind: (typeof kinds)[number]) => number) => Math.max(...kinds.map(of));
  const json = { p50us: worst(({ p50us }) => p50us), usPerMB: worst(({ usPerMB }) => usPerMB), kinds };
  const lines = kinds.map(({ name, p50us, usPerMB, growth }) => `${name.padEnd(42)} ${String(p50us).padStart(8)} µs (1 kB) ${String(usPerMB).padStart(10)} µs/MB   4 MB cost ${growth} × four times that`);
  return { json, text: [...lines, `worst: ${json.p50us} µs for 1 kB, ${json.usPerMB} µs for 1 MB`].join('\n') };
}
