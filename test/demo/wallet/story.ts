import { delegation, discovery, scopes } from './agents.ts';
import { accounts, backup, balances, reveal } from './keys.ts';
import { sendSteps } from './sends.ts';
import type { Step } from './steps.ts';
import { openWalletWorld } from './world.ts';

export interface StepReport {
  readonly step: string;
  readonly ok: boolean;
  /** What was seen; of a step that failed, what did not hold. */
  readonly detail: string;
  readonly tookMs: number;
}

export interface WalletReport {
  readonly ok: boolean;
  readonly steps: readonly StepReport[];
}

function steps(): readonly Step[] {
  const sends = sendSteps();
  const late = sends.slice(-1);
  return [accounts, reveal, balances, ...sends.slice(0, -1), delegation, scopes, discovery, ...late, backup];
}

/** Plays the wallet's story to its end, or to the first step that does not hold. Every balance is read from the chains. */
export async function runWalletStory(say: (line: string) => void): Promise<WalletReport> {
  const world = await openWalletWorld();
  const done: StepReport[] = [];
  say('Bursar runs headless on play money, on two real chains, with a mail server that catches what is sent.\n');
  try {
    for (const { step, run } of steps()) {
      const begun = performance.now();
      const { ok, detail } = await run(world).then(
        (seen) => ({ ok: true, detail: seen }),
        (error: unknown) => ({ ok: false, detail: error instanceof Error ? error.message : String(error) }),
      );
      done.push({ step, ok, detail, tookMs: Math.round(performance.now() - begun) });
      say(`${ok ? 'ok  ' : 'FAIL'} ${step}\n     ${detail}`);
      if (!ok) break;
    }
  } finally {
    await world.close();
  }
  const ok = done.every((one) => one.ok);
  say(ok ? '\nEverything held, and every balance stands on the chains.' : '\nSOMETHING DID NOT HOLD. See the lines above.');
  return { ok, steps: done };
}
