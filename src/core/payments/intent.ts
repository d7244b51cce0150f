import type { Challenge } from '../challenges/dialect.ts';
import type { PaidCall } from './call.ts';
import type { Choice } from './choose-offer.ts';

/** A call whose challenge was read. */
export interface Demand {
  readonly call: PaidCall;
  readonly challenge: Challenge;
  readonly argumentsHash: string;
  readonly callKey: string;
  /** Aborts when every client that waits for this call has gone. */
  readonly signal: AbortSignal;
}

/** A demand with the one offer chosen, frozen: the intent. */
export interface Intent extends Demand, Choice {
  /** Why no rule may allow it without asking; empty where one may. */
  readonly mustAsk: string;
}
