import { fileURLToPath } from 'node:url';
import { compare, type Outcomes, type Row } from './row.ts';
import { runSuite, SUITES, type Suite } from './suite.ts';

const CLIENT = fileURLToPath(new URL('./fixture/client.ts', import.meta.url));

/** Authorization is the business of whoever holds the credentials, which no client behind Bursar does: see `auth-rows.ts`. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '0.1.16': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  '0.2 2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', 'json-schema-2020-12-preservation'],
  '0.2 2026-07-28': ['tools_call', 'request-metadata', 'sep-2322-client-request-state', 'http-standard-headers', 'http-custom-headers', 'json-schema-ref-no-deref', 'json-schema-2020-12-preservation'],
};

/** The suite as the server: our client directly, and behind Bursar's two doors. */
export async function* clientRows(): AsyncGenerator<Row> {
  for (const suite of SUITES) {
    const direct = await runClient(suite, []);
    for (const way of ['stdio', 'http']) yield compare(`client ${suite.name}`, `${way} → http`, direct, await runClient(suite, [`--bursar=${way}`]));
  }
}

async function runClient(suite: Suite, ways: readonly string[]): Promise<Outcomes> {
  const outcomes = new Map<string, string>();
  const version = suite.specVersion === undefined ? [] : ['--spec-version', suite.specVersion];
  for (const scenario of SCENARIOS[suite.name] ?? []) {
    const command = [process.execPath, CLIENT, ...ways].join(' ');
    for (const [check, outcome] of await runSuite(suite, ['client', '--command', command, '--scenario', scenario, ...version])) outcomes.set(check, outcome);
  }
  return outcomes;
}
