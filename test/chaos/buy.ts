import { setTimeout as delay } from 'node:timers/promises';
import type { ToolAnswer } from '../support/http-agent.ts';
import type { Agents, OpenCall } from './agents.ts';
import type { Director, Stage } from './director.ts';
import type { AgentFault } from './faults.ts';
import type { PlannedCall } from './plan.ts';
import { BURST } from './seller.ts';

/** An agent's patience with an answer; a connection that breaks ends it at once, so only a slow machine comes near. */
const PATIENCE_MS = 20_000;
/** With a server that never answers, and once it cancelled, it is short. */
const SHORT_PATIENCE_MS = 800;

/** At which stage an agent's own fault strikes, and what it then does. */
const STRIKES: Readonly<Partial<Record<AgentFault, { readonly stage: Stage; readonly act: (open: OpenCall) => void }>>> = {
  'cancel-unsigned': { stage: 'challenged', act: (open) => open.cancel() },
  'cancel-waiting': { stage: 'waiting', act: (open) => open.cancel() },
  'cancel-paid': { stage: 'paid', act: (open) => open.cancel() },
  'connection-dropped': { stage: 'paid', act: (open) => open.drop() },
};

/** How a try ended. After `refused` an agent does not try again: the owner said no, or the budget does not allow it. */
export type TryResult = 'served' | 'refused' | 'open';

/** One try of an agent. Never rejects: a connection that breaks is an answer, too. */
export async function buy(agents: Agents, call: PlannedCall, director: Director): Promise<TryResult> {
  try {
    if (call.fault === 'burst-of-50' && director.strikes(call, 'burst-of-50')) {
      const answers = await Promise.all(Array.from({ length: BURST }, () => once(agents, call)));
      return answers.map((answer) => resultOf(answer, call)).toSorted((a, b) => RANK.indexOf(a) - RANK.indexOf(b))[0] ?? 'open';
    }
    const strike = STRIKES[call.fault as AgentFault];
    return resultOf(await once(agents, call, strike && !director.hasStruck(call) ? { ...strike, director } : undefined), call);
  } catch {
    return 'open';
  }
}

async function once(agents: Agents, call: PlannedCall, strike?: { readonly stage: Stage; readonly act: (open: OpenCall) => void; readonly director: Director }): Promise<ToolAnswer | undefined> {
  const open = await agents.call(call);
  const struck = Promise.withResolvers<void>();
  const stop = strike?.director.onReach((other, stage) => {
    if (other.id !== call.id || stage !== strike.stage || !strike.director.strikes(call, call.fault!)) return;
    strike.act(open);
    struck.resolve();
  });
  const patience = call.fault === 'never-answers' || call.fault === 'garbage' ? SHORT_PATIENCE_MS : PATIENCE_MS;
  const afterStrike = struck.promise.then(() => delay(SHORT_PATIENCE_MS, undefined, { ref: false }));
  try {
    return await Promise.race([open.answer, delay(patience, undefined, { ref: false }), afterStrike]);
  } finally {
    stop?.();
    // The loser of the race may still reject.
    open.answer.catch(() => {});
  }
}

const RANK: readonly TryResult[] = ['served', 'refused', 'open'];
const FINAL_CODES = ['APPROVAL_REJECTED', 'BUDGET_EXCEEDED'];

function resultOf(answer: ToolAnswer | undefined, call: PlannedCall): TryResult {
  const words = answer?.result?.content[0]?.text ?? '';
  if (answer?.result?.isError !== true) return words === `served ${call.id}` ? 'served' : 'open';
  return FINAL_CODES.some((code) => words.includes(`(${code})`)) ? 'refused' : 'open';
}
