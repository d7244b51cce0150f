import type { CallFault, Fault } from './faults.ts';
import type { PlannedCall } from './plan.ts';

/** How far a call has come, as its seller and its owner see it. */
export type Stage = 'challenged' | 'waiting' | 'paid' | 'settled';

/** A proof that reached a seller: the payment's whole wire form. */
export interface SeenProof {
  readonly house: number;
  readonly call: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly accepted: Readonly<Record<string, unknown>>;
}

type Listener = (call: PlannedCall, stage: Stage) => void;

/** Knows every planned call, lets its fault strike once, and counts what struck. */
export interface Director {
  call(id: number): PlannedCall | undefined;
  houseOf(id: number): number;
  /** Gives a call that was not made yet another plan. */
  replan(call: PlannedCall): void;
  /** True once: at the first time that the call's own fault can strike. */
  strikes(call: PlannedCall, fault: CallFault): boolean;
  /** Has the call's fault struck already? */
  hasStruck(call: PlannedCall): boolean;
  hit(fault: Fault): void;
  readonly hits: ReadonlyMap<Fault, number>;
  reach(call: PlannedCall, stage: Stage): void;
  /** How often a call reached a stage. */
  reached(call: PlannedCall, stage: Stage): number;
  /** Returns the way to stop listening. */
  onReach(listener: Listener): () => void;
  /** Resolves when the call has reached the stage so often, or after `ms`. */
  untilReached(call: PlannedCall, stage: Stage, times: number, ms: number): Promise<void>;
  readonly proofs: SeenProof[];
  /** A phase may hold paid calls back until all of them have come. */
  gate: ((call: PlannedCall) => Promise<void>) | undefined;
}

export function createDirector(planned: ReadonlyMap<number, { readonly call: PlannedCall; readonly house: number }>): Director {
  const calls = new Map(planned);
  const struck = new Set<number>();
  const hits = new Map<Fault, number>();
  const counts = new Map<string, number>();
  const listeners = new Set<Listener>();
  const reached = (call: PlannedCall, stage: Stage): number => counts.get(`${call.id} ${stage}`) ?? 0;
  const hit = (fault: Fault): void => void hits.set(fault, (hits.get(fault) ?? 0) + 1);
  const onReach = (listener: Listener): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    call: (id) => calls.get(id)?.call,
    houseOf: (id) => calls.get(id)?.house ?? -1,
    replan: (call) => void calls.set(call.id, { call, house: calls.get(call.id)?.house ?? -1 }),
    strikes(call, fault) {
      if (call.fault !== fault || struck.has(call.id)) return false;
      struck.add(call.id);
      hit(fault);
      return true;
    },
    hasStruck: (call) => struck.has(call.id),
    hit,
    hits,
    reach(call, stage) {
      counts.set(`${call.id} ${stage}`, reached(call, stage) + 1);
      for (const listener of listeners) listener(call, stage);
    },
    reached,
    onReach,
    untilReached: (call, stage, times, ms) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          stop();
          resolve();
        };
        const stop = onReach((other) => {
          if (other.id === call.id && reached(call, stage) >= times) finish();
        });
        const timer = setTimeout(finish, ms);
        if (reached(call, stage) >= times) finish();
      }),
    proofs: [],
    gate: undefined,
  };
}
