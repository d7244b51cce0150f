/** Counts of checks. Informational ones are left out. */
export interface Counts {
  readonly passed: number;
  readonly total: number;
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

const counts = (outcomes: Outcomes): Counts => ({ passed: [...outcomes.values()].filter((outcome) => outcome === 'SUCCESS').length, total: outcomes.size });

/** Compares check by check: one that is missing on either side is a difference, so a scenario that was broken off shows. */
export function compare(suite: string, path: string, direct: Outcomes, bursar: Outcomes): Row {
  const differences = [...new Set([...direct.keys(), ...bursar.keys()])]
    .filter((check) => direct.get(check) !== bursar.get(check))
    .map((check) => `${check}: ${direct.get(check) ?? 'absent'} → ${bursar.get(check) ?? 'absent'}`);
  return { suite, path, ok: direct.size > 0 && differences.length === 0, direct: counts(direct), bursar: counts(bursar), differences };
}
