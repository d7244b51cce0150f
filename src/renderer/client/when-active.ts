/** What of a window is listened to. */
export type Attended = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

const EVENTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

/** The keys are locked after minutes without the owner; saying more often that they are here tells main nothing. */
export const TELL_EVERY_MS = 60_000;

/**
 * Tells, at most once a minute, that a person typed, clicked or moved something here; the first time at once. What a script of the page makes is no
 * person's act. Returns the way to stop.
 */
export function whenActive(target: Attended, tell: () => void, now: () => number = Date.now): () => void {
  let told: number | undefined;
  const seen = ({ isTrusted }: Event): void => {
    const at = now();
    // A clock that was set back must not silence it.
    if (!isTrusted || (told !== undefined && at >= told && at - told < TELL_EVERY_MS)) return;
    told = at;
    tell();
  };
  for (const type of EVENTS) target.addEventListener(type, seen, { capture: true, passive: true });
  return () => {
    for (const type of EVENTS) target.removeEventListener(type, seen, { capture: true });
  };
}
