import type { RouteName } from '../../shared/contract/contract.ts';
import { ROUTES } from '../../shared/contract/contract.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { firstIssue, issueWords } from '../../shared/errors/issue-words.ts';

/** A route's input as its schema leaves it. Throws `INPUT_INVALID`, which names the first field that does not fit; values are left out: they may be secrets. */
export function parseInput(route: RouteName, input: unknown): unknown {
  const parsed = ROUTES[route].input.safeParse(input, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { field, name, words } = firstIssue(parsed.error);
  throw new BursarError('INPUT_INVALID', `The field "${name || 'input'}" is not valid: ${words}.`, { context: { field: field || 'input' } });
}
