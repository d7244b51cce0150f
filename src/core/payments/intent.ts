import type { Challenge } from '../challenges/dialect.ts';
import type { PaidCall } from './call.ts';
import type { Choice } from './choose-offer.ts';
import type { Run } from './runs.ts';
import type { Finding } from './signed-terms.ts';

/** A call whose challenge was read. */
export interface Demand {
  readonly call: PaidCall;
  readonly challenge: Challenge;
  readonly argumentsHash: string;
  readonly callKey: string;
  /** Everything that waits for this call. */
  readonly run: Run;
}

/** A demand with the one offer chosen, frozen: the intent. */
export interface Intent extends Demand, Choice {
  /** Why no rule may allow it without asking; empty where one may. */
  readonly mustAsk: string;
  /** What the server's own signature over the offer says, where it signed. */
  readonly signedOffer?: Finding;
}
