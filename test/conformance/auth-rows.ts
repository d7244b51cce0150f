import { fileURLToPath } from 'node:url';
import { compare, type Outcomes, type Row } from './row.ts';
import { runSuite, SUITES, type Suite } from './suite.ts';

const CLIENT = fileURLToPath(new URL('./fixture/auth-client.ts', import.meta.url));

const COMMON = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
];
const FALLBACK = '2025-03-26-oauth-endpoint-fallback';
const OLDER = ['2025-03-26-oauth-metadata-backcompat', FALLBACK];
const MACHINE = ['client-credentials-jwt', 'client-credentials-basic'];
const DRAFT = ['resource-mismatch', 'offline-access-scope', 'offline-access-not-supported'];
const NEWER = ['authorization-server-migration', 'iss-supported', 'iss-not-advertised', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected', 'iss-normalized', 'metadata-issuer-mismatch'];

/**
 * Left out are ways that Bursar does not have: DPoP, and the exchange of other tokens (cross-app access, enterprise-managed authorization, workload
 * identity); and of 0.1.16 a server whose metadata names another issuer than its own address, which a client has to refuse (RFC 8414 section 3.3).
 */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '0.1.16': [...COMMON, FALLBACK, ...DRAFT, ...MACHINE],
  '0.2 2025-11-25': [...COMMON, ...OLDER, ...MACHINE],
  '0.2 2026-07-28': [...COMMON, ...DRAFT, ...NEWER],
};
/** Scenarios that the suite knows under no version, or under an older one. */
const UNVERSIONED = new Set([...OLDER, ...MACHINE]);

/**
 * The suite as a server that wants tokens. No client behind Bursar holds credentials, so there is nothing to compare with directly: beside Bursar's
 * column stands what the suite asks for, which is every check of every scenario.
 */
export async function* authRows(): AsyncGenerator<Row> {
  for (const suite of SUITES) {
    const found = new Map<string, string>();
    const asked = new Map<string, string>();
    for (const scenario of SCENARIOS[suite.name] ?? []) {
      const outcomes = await runScenario(suite, scenario);
      for (const [check, outcome] of outcomes) found.set(`${scenario}: ${check}`, outcome);
      for (const check of outcomes.keys()) asked.set(`${scenario}: ${check}`, 'SUCCESS');
      // One that was broken off shows.
      if (outcomes.size === 0) asked.set(`${scenario}: any check`, 'SUCCESS');
    }
    yield compare(`client auth ${suite.name}`, 'http → http, tokens by Bursar', asked, found);
  }
}

function runScenario(suite: Suite, scenario: string): Promise<Outcomes> {
  const version = suite.specVersion === undefined || UNVERSIONED.has(scenario) ? [] : ['--spec-version', suite.specVersion];
  return runSuite(suite, ['client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', `auth/${scenario}`, ...version]);
}
