/** What a test that passes on the double does not show. The test run prints it. */
export const LIMITS = [
  "isolated worlds: the preload runs in the page's own world, so context isolation is not tested",
  "the operating system's sandbox of renderers",
  'focus, visibility and always-on-top are book-keeping; no window manager decides',
  'tray, menu, badge, notifications and questions are recorded, never drawn; login item and scheme are recorded, no system keeps them',
  'no machine sleeps, locks its screen or hangs: tests emit those events',
  'no update feed and no updater',
  "permission handlers are recorded; Chromium's own answers stand behind a page's requests",
  "the app: scheme is carried over https://HOST.app.double inside Chromium; its privileges are not Electron's",
  "Node's V8 and module loader instead of Electron's, and no asar or fuses",
];
