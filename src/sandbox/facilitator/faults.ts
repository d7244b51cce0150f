/** What a facilitator does wrong in one step. `timeout` never answers; `lie` claims success and moves nothing. */
export const FACILITATOR_FAULTS = ['500', 'timeout', 'lie', 'settle-then-500', 'settle-then-hang'] as const;
/** One of {@link FACILITATOR_FAULTS}. */
export type FacilitatorFault = (typeof FACILITATOR_FAULTS)[number];
/** The two calls of the facilitator API that can go wrong. */
export const FACILITATOR_STEPS = ['verify', 'settle'] as const;
/** One of {@link FACILITATOR_STEPS}. */
export type FacilitatorStep = (typeof FACILITATOR_STEPS)[number];

/** The faults that are switched on, by step. In `verify`, `settle-then-…` means: verify, then fail so. */
export interface FacilitatorFaults {
  on(step: FacilitatorStep): FacilitatorFault | undefined;
  /** Switches a step's fault; undefined ends it. */
  set(step: FacilitatorStep, fault: FacilitatorFault | undefined): void;
  clear(): void;
}

/** Fault switches, all off. */
export function createFacilitatorFaults(): FacilitatorFaults {
  const faults = new Map<FacilitatorStep, FacilitatorFault>();
  return {
    on: (step) => faults.get(step),
    set: (step, fault) => {
      if (fault === undefined) faults.delete(step);
      else faults.set(step, fault);
    },
    clear: () => faults.clear(),
  };
}
