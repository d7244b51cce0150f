import { BursarError } from '../../shared/errors/errors.ts';
import type { JsonObject } from '../json/json.ts';
import type { Challenge, Dialect } from './dialect.ts';
import { x402Mcp } from './x402-mcp.ts';

/** Every dialect, in detection order (wire-formats section 7). A new one is a file beside this and a line here. */
const DIALECTS: readonly Dialect[] = [x402Mcp];

/** The first dialect's challenge that matches. Throws `CHALLENGE_MALFORMED` where a dialect knows its own but cannot read it. */
export function detectChallenge(response: JsonObject): Challenge | undefined {
  for (const dialect of DIALECTS) {
    const challenge = dialect.detect(response);
    if (challenge) return challenge;
  }
  return undefined;
}

/** The dialect of a challenge or of a journal row. Throws `INTERNAL` for an id that no registry ever had. */
export function requireDialect(id: string): Dialect {
  const dialect = DIALECTS.find((candidate) => candidate.id === id);
  if (!dialect) throw new BursarError('INTERNAL', `There is no payment dialect "${id}".`);
  return dialect;
}
