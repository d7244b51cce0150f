/** Steps of Bursar's own progress: so small that what the server reports later still increases, as MCP demands. */
const STEP = 1e-6;

/** Writes `notifications/progress` for one request; `tokenText` is the raw JSON of its progress token. */
export function createOwnProgress(tokenText: string): (message: string) => string {
  let steps = 0;
  return (message) => {
    steps++;
    return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${tokenText},"progress":${(steps * STEP).toFixed(6)},"message":${JSON.stringify(message)}}}`;
  };
}
