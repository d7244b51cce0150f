import { ALL_FAULTS, type Fault } from './faults.ts';
import type { Outcome } from './run.ts';

/** Of the calls, at least so many have to settle: refusing everything is no pass. */
const SETTLED_PERCENT = 60;
/** From a run of this many calls on, every fault of the matrix has to strike five times. */
const FULL_MATRIX_CALLS = 300;
export const MIN_HITS = 5;

const hitsOf = ({ hits }: Outcome): Record<string, number> => Object.fromEntries(ALL_FAULTS.map((fault: Fault) => [fault, hits.get(fault) ?? 0]));

/** The run in one line of JSON. `settled` and `delivered` count calls, `transfers` what the chains show. */
export function jsonReport(outcome: Outcome): object {
  const { calls, settledCalls: settled, delivered, transfers, double, lost, unknownLeft, budgetBreaches, ledgerMinusChain, seed } = outcome;
  return { calls, settled, delivered, transfers, double, lost, unknownLeft, budgetBreaches, ledgerMinusChain: ledgerMinusChain.toString(), faultHits: hitsOf(outcome), seed };
}

/** What does not hold, in words; empty for a good run. */
export function failures(outcome: Outcome): string[] {
  const { calls, settledCalls, double, lost, unknownLeft, budgetBreaches, ledgerMinusChain, problems } = outcome;
  const found = [...problems];
  for (const [name, count] of Object.entries({ double, lost, unknownLeft, budgetBreaches })) if (count !== 0) found.push(`${name} is ${count}`);
  if (ledgerMinusChain !== 0n) found.push(`the ledger says ${ledgerMinusChain} base units more than the chains`);
  if (settledCalls * 100 < calls * SETTLED_PERCENT) found.push(`${settledCalls} of ${calls} calls settled, less than ${SETTLED_PERCENT} %`);
  if (calls >= FULL_MATRIX_CALLS) for (const [fault, count] of Object.entries(hitsOf(outcome))) if (count < MIN_HITS) found.push(`${fault} struck ${count} times, less than ${MIN_HITS}`);
  return found;
}

export function textReport(outcome: Outcome): string {
  const { calls, settledCalls, delivered, transfers, double, lost, unknownLeft, budgetBreaches, ledgerMinusChain, seed } = outcome;
  const hits = Object.entries(hitsOf(outcome)).map(([fault, count]) => `  ${fault.padEnd(24)} ${count}`);
  return [
    `${calls} calls: ${settledCalls} settled, ${delivered} delivered, ${transfers} transfers on both chains`,
    `double ${double}, lost ${lost}, unknown left ${unknownLeft}, budget breaches ${budgetBreaches}, ledger minus chain ${ledgerMinusChain}`,
    'faults that struck:',
    ...hits,
    `seed ${seed}`,
  ].join('\n');
}
