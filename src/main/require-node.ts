/** Oldest Node that better-sqlite3 runs on; on an older one the process crashes without a word. */
const OLDEST = [22, 13] as const;

/** Whether a Node version such as `22.13.0` is new enough. */
export function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Ends the process with a plain line on a Node that is too old. An entry calls it before it loads anything else. */
export function requireNode(): void {
  if (isNodeNewEnough(process.versions.node)) return;
  process.stderr.write(`Bursar needs Node ${OLDEST.join('.')} or newer; this is ${process.version}. In a checkout, run it with: npm run -s bursar -- …\n`);
  process.exit(1);
}
