// npm run fuzz -- --runs N [--seed S] [--only RUN] [--json]: every parser of what comes from outside, against mutated and random texts.
// It fails on a throw that is not typed, on a result that contradicts itself, and on a parse slower than 50 ms.
import { parseArgs } from 'node:util';
import { isBursarError } from '../../src/shared/errors/errors.ts';
import { mutated } from './mutate.ts';
import { randomOf } from './random.ts';
import { TARGETS, type Target } from './targets.ts';

const SLOW_MS = 50;
/** A slow run may be the machine's fault: the quickest of so many more counts. */
const SECOND_LOOKS = 4;
const MAX_FAILURES = 10;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20000' }, seed: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean', default: false } } });
const runs = Number(values.runs);
const seed = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed);
const only = values.only === undefined ? undefined : Number(values.only);
if (![runs, seed, only ?? 0].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error('usage: npm run fuzz -- --runs N [--seed S] [--only RUN] [--json]');
  process.exit(2);
}

interface Failure {
  readonly run: number;
  readonly target: string;
  readonly why: string;
  readonly text: string;
}

interface Run {
  readonly target: Target;
  readonly text: string;
  /** Milliseconds of the parsers alone. */
  parse(): number;
}

/** A run is its number and the seed, and nothing else. */
function runOf(number: number): Run {
  const target = TARGETS[number % TARGETS.length]!;
  const text = mutated(randomOf(seed + number * 2), target.seeds);
  return {
    target,
    text,
    parse() {
      const random = randomOf(seed + number * 2 + 1);
      const start = performance.now();
      try {
        target.run(text, random);
      } catch (error) {
        if (!isBursarError(error) && !target.typed?.(error)) throw error;
      }
      return performance.now() - start;
    },
  };
}

function failureOf(number: number): Failure | undefined {
  const { target, text, parse } = runOf(number);
  const failure = (why: string): Failure => ({ run: number, target: target.name, why, text: text.slice(0, 300) });
  try {
    const first = parse();
    const quickest = first <= SLOW_MS ? first : Math.min(first, ...Array.from({ length: SECOND_LOOKS }, parse));
    slowest = Math.max(slowest, quickest);
    return quickest > SLOW_MS ? failure(`took ${quickest.toFixed(0)} ms for ${text.length} characters`) : undefined;
  } catch (error) {
    return failure(error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' ') : String(error));
  }
}

let slowest = 0;
const began = performance.now();
const failures: Failure[] = [];
let done = 0;
for (let number = only ?? 0; number < (only === undefined ? runs : only + 1) && failures.length < MAX_FAILURES; number++) {
  const failure = failureOf(number);
  done++;
  if (failure) failures.push(failure);
}
const seconds = (performance.now() - began) / 1000;

for (const { run, target, why, text } of failures) console.error(`${target}: ${why}\n  text: ${JSON.stringify(text)}\n  again: npm run fuzz -- --seed ${seed} --only ${run}`);
const result = { runs: done, targets: TARGETS.length, seed, failures: failures.length, seconds: Number(seconds.toFixed(1)) };
console.log(values.json ? JSON.stringify(result) : `fuzz: ${done} runs over ${TARGETS.length} targets, seed ${seed}: ${failures.length === 0 ? 'nothing found' : `${failures.length} failures`} in ${result.seconds} s (slowest parse ${slowest.toFixed(1)} ms)`);
process.exit(failures.length === 0 ? 0 : 1);
