/** Counts of checks. Informational ones are left out. */
export interface Counts {
  readonly passed: number;
  /** Those that applied: passed or failed. */
  readonly total: number;
  /** Those that the suite left out by itself, because the protocol's era has nothing to check (`initialize` in 2026-07-28). Still compared one by one. */
  readonly skipped: number;
}

/** One suite over one path, side by side. */
export interface Row {
  readonly suite: string;
  /** `http → stdio` and the like: what stands downstream and upstream of Bursar. */
  readonly path: string;
  readonly ok: boolean;
  readonly direct: Counts;
  readonly bursar: Counts;
  /** `scenario / check: outcome → outcome` for every check that came out otherwise. */
  readonly differences: readonly string[];
}

/** Outcome by check, `scenario / check id / how many-th of that id`. */
export type Outcomes = ReadonlyMap<string, string>;

const counts = (outcomes: Outcomes): Counts => {
  const of = (outcome: string): number => [...outcomes.values()].filter((each) => each === outcome).length;
  return { passed: of('SUCCESS'), total: outcomes.size - of('SKIPPED'), skipped: of('SKIPPED') };
};

/** Compares check by check: one that is missing on either side is a difference, so a scenario that was broken off shows. */
export function compare(suite: string, path: string, direct: Outcomes, bursar: Outcomes): Row {
  const differences = [...new Set([...direct.keys(), ...bursar.keys()])]
    .filter((check) => direct.get(check) !== bursar.get(check))
    .map((check) => `${check}: ${direct.get(check) ?? 'absent'} → ${bursar.get(check) ?? 'absent'}`);
  return { suite, path, ok: direct.size > 0 && differences.length === 0, direct: counts(direct), bursar: counts(bursar), differences };
}
