import { setTimeout as delay } from 'node:timers/promises';
import type { ToolAnswer } from '../support/http-agent.ts';
import type { Agents, OpenCall } from './agents.ts';
import type { Director, Stage } from './director.ts';
import type { AgentFault } from './faults.ts';
import type { PlannedCall } from './plan.ts';
import { BURST } from './seller.ts';

/** An agent's patience with an answer. */
const PATIENCE_MS = 7_000;
/** With a server that never answers it is short. */
const SHORT_PATIENCE_MS = 800;

/** At which stage an agent's own fault strikes, and what it then does. */
const STRIKES: Readonly<Partial<Record<AgentFault, { readonly stage: Stage; readonly act: (open: OpenCall) => void }>>> = {
  'cancel-unsigned': { stage: 'challenged', act: (open) => open.cancel() },
  'cancel-waiting': { stage: 'waiting', act: (open) => open.cancel() },
  'cancel-paid': { stage: 'paid', act: (open) => open.cancel() },
  'connection-dropped': { stage: 'paid', act: (open) => open.drop() },
};

/** One try of an agent. True if it was served. Never rejects: a connection that breaks and a refusal are answers, too. */
export async function buy(agents: Agents, call: PlannedCall, director: Director): Promise<boolean> {
  try {
    if (call.fault === 'burst-of-50' && director.strikes(call, 'burst-of-50')) {
      const answers = await Promise.all(Array.from({ length: BURST }, () => once(agents, call)));
      return answers.some((answer) => isServed(answer, call));
    }
    const strike = STRIKES[call.fault as AgentFault];
    return isServed(await once(agents, call, strike && director.reached(call, strike.stage) === 0 ? { ...strike, director } : undefined), call);
  } catch {
    return false;
  }
}

async function once(agents: Agents, call: PlannedCall, strike?: { readonly stage: Stage; readonly act: (open: OpenCall) => void; readonly director: Director }): Promise<ToolAnswer | undefined> {
  const open = await agents.call(call);
  const stop = strike?.director.onReach((other, stage) => {
    if (other.id !== call.id || stage !== strike.stage || !strike.director.strikes(call, call.fault!)) return;
    strike.act(open);
  });
  const patience = call.fault === 'never-answers' || call.fault === 'garbage' || strike ? SHORT_PATIENCE_MS + (call.fault === 'cancel-waiting' ? 5_000 : 0) : PATIENCE_MS;
  try {
    return await Promise.race([open.answer, delay(patience, undefined, { ref: false })]);
  } finally {
    stop?.();
    // The loser of the race may still reject.
    open.answer.catch(() => {});
  }
}

const isServed = (answer: ToolAnswer | undefined, call: PlannedCall): boolean => answer?.result?.isError !== true && answer?.result?.content[0]?.text === `served ${call.id}`;
