import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentResult, WalletWorld } from './world.ts';

/** One step of the story. It throws where something does not hold, and says in a line what was seen. */
export interface Step {
  readonly step: string;
  run(world: WalletWorld): Promise<string>;
}

/** Asks until it is so. Throws with the last answer where it never is. */
export async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`it did not come to pass; the last answer was ${JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)).slice(0, 500)}`);
    await delay(100);
  }
}

/** What a tool gave; throws with its words where it refused. */
export function given({ isError, content, structuredContent }: AgentResult): Readonly<Record<string, unknown>> {
  if (isError === true) throw new Error(`the tool refused: ${content[0]?.text ?? ''}`);
  return structuredContent ?? {};
}

/** Runs what asks for money while the owner approves it in the browser; gives its result and what the owner saw. */
export async function approved<T>({ owner }: WalletWorld, asks: Promise<T>): Promise<{ readonly result: T; readonly shown: string }> {
  // A refusal before anybody was asked is told as what it is, and not as a button that never came.
  const refused = asks.then(() => new Promise<never>(() => {}));
  const shown = await Promise.race([owner.decide('Approve'), refused]);
  return { result: await asks, shown };
}

/** Both ends of a transfer, before and after: exactly so much went. */
export async function moved<T>({ held }: WalletWorld, network: string, { from, to, units }: { readonly from?: string; readonly to: string; readonly units: bigint }, work: () => Promise<T>): Promise<T> {
  const read = () => Promise.all([from === undefined ? 0n : held(network, from), held(network, to)]);
  const [payerBefore, payeeBefore] = await read();
  const result = await work();
  const [payerAfter, payeeAfter] = await read();
  assert.equal(payeeAfter - payeeBefore, units, `${to} got another amount`);
  if (from !== undefined) assert.equal(payerBefore - payerAfter, units, `${from} paid another amount`);
  return result;
}

export const usdc = (units: bigint): string => `${Number(units) / 1e6} USDC`;
