/** Path of a Chromium: BURSAR_CHROMIUM, the system's, or Playwright's own; undefined where there is none. */
export function findChromium(): string | undefined;
