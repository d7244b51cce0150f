import { baseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Cap, Policy } from '../../shared/policy/policy.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { BudgetUse } from '../ports.ts';
import { covers, type ScopeSubject } from './scope.ts';
import { countIn } from './units.ts';
import { oldestSlice, reach, sliceOf } from './windows.ts';

/** A use with what scopes look at. `asset` is what the use is in, `paid` what the payment is in. */
export type HeldUse = BudgetUse & ScopeSubject & { readonly paid: string };

/** Where what is held is written down. */
export interface HeldUses {
  /** Uses that were reserved at or after an instant, in any order. */
  since(at: number): Iterable<HeldUse>;
  ofSession(session: string): Iterable<HeldUse>;
}

/** Sessions whose sums are kept at a time; another is added up again when it is asked for. */
const SESSIONS_KEPT = 2000;

/** Where clocks are set back just after midnight, yesterday comes again. No zone goes back further than this. */
const SET_BACK_MS = 3 * 3_600_000;

/**
 * The sums of every cap of one policy, in memory. They are added up once from what is held and then follow every change, so that looking
 * one up takes the same time whatever the ledger's size, and a cap that is new counts what was spent before it.
 */
export class BudgetSums {
  readonly policy: Policy;
  readonly #uses: HeldUses;
  /** By cap: sum of each slice of time, or of each session. A slice that is missing is empty; a session that is missing was not asked for. */
  readonly #sums: readonly Map<string, bigint>[];

  /** `notBefore` is an instant before which no sum will be asked for: the journal's high-water clock. */
  constructor(policy: Policy, uses: HeldUses, notBefore: number) {
    this.policy = policy;
    this.#uses = uses;
    this.#sums = policy.caps.map(() => new Map());
    // Before these instants a use can be in no window any more. A session is added up when it is asked for.
    const from = policy.caps.map(({ window }) => (window === 'call' || window === 'session' ? Infinity : notBefore - reach(window)));
    const earliest = Math.min(...from);
    if (earliest === Infinity) return;
    for (const use of uses.since(earliest)) {
      for (const [index, start] of from.entries()) if (use.at >= start) this.#applyTo(index, use, 1n);
    }
    this.forgetBefore(notBefore);
  }

  /** What is used of a cap. */
  used(index: number, { at, session }: Pick<BudgetUse, 'at' | 'session'>): BaseUnits {
    const cap = this.policy.caps[index];
    const sums = this.#sums[index];
    if (!cap || !sums) throw new BursarError('INTERNAL', `There is no cap ${index}.`);
    if (cap.window === 'call') return baseUnits(0n);
    if (cap.window === 'session') return baseUnits(sums.get(session) ?? this.#addUpSession(cap, sums, session));
    const oldest = oldestSlice(cap.window, at, this.policy.timeZone);
    let sum = 0n;
    for (const [slice, units] of sums) if (slice >= oldest) sum += units;
    return baseUnits(sum);
  }

  /** Takes a use in that was just written down. */
  add(use: HeldUse): void {
    this.#apply(use, 1n);
  }

  /** Takes a use out: it was freed, or was never written down after all. */
  remove(use: HeldUse): void {
    this.#apply(use, -1n);
  }

  /** Drops what no window that ends at this instant or later can reach. */
  forgetBefore(at: number): void {
    this.#sums.forEach((sums, index) => {
      const window = this.policy.caps[index]?.window;
      if (window === undefined || window === 'call' || window === 'session') return;
      const oldest = oldestSlice(window, at - SET_BACK_MS, this.policy.timeZone);
      for (const slice of sums.keys()) if (slice < oldest) sums.delete(slice);
    });
  }

  #apply(use: HeldUse, sign: 1n | -1n): void {
    for (let index = 0; index < this.#sums.length; index++) this.#applyTo(index, use, sign);
  }

  #applyTo(index: number, use: HeldUse, sign: 1n | -1n): void {
    const cap = this.policy.caps[index];
    const sums = this.#sums[index];
    if (!cap || !sums || cap.window === 'call') return;
    const units = countedBy(cap, use);
    if (units === 0n) return;
    const key = cap.window === 'session' ? use.session : sliceOf(cap.window, use.at, this.policy.timeZone);
    const before = sums.get(key);
    // What is missing is either forgotten, or a session that is added up when it is asked for.
    if (before === undefined && (sign < 0n || cap.window === 'session')) return;
    sums.set(key, (before ?? 0n) + sign * units);
  }

  #addUpSession(cap: Cap, sums: Map<string, bigint>, session: string): bigint {
    let sum = 0n;
    if (session !== '') for (const use of this.#uses.ofSession(session)) sum += countedBy(cap, use);
    const [first] = sums.keys();
    if (sums.size >= SESSIONS_KEPT && first !== undefined) sums.delete(first);
    sums.set(session, sum);
    return sum;
  }
}

/** An unpriced use counts nothing here: no cap in dollars admits one, so it was reserved before that cap was set. */
function countedBy(cap: Cap, use: HeldUse): bigint {
  if (!covers(cap.over, use)) return 0n;
  const count = countIn(cap.unit, use);
  return typeof count === 'bigint' ? count : 0n;
}
