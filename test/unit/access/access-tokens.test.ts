import { expect, test } from 'vitest';
import { createAccessTokens, TOKEN_LIFETIME_MS } from '../../../src/main/access/access-tokens.ts';
import { findToken } from '../../../src/main/bridge/http-gate.ts';
import { manualClock } from '../../support/rpc/contract-fakes.ts';

const scopes = ['payment_context:read'] as const;

test('a token outlives its time, also where the clock is set back', () => {
  const clock = manualClock(10 * TOKEN_LIFETIME_MS);
  const tokens = createAccessTokens({ clock });
  const token = tokens.issue({ client: 'a', scopes, audience: '/mcp/demo' });
  expect(findToken(token, tokens.current())).toMatchObject({ client: 'a', scopes, audience: '/mcp/demo' });
  clock.advance(TOKEN_LIFETIME_MS - 1);
  expect(findToken(token, tokens.current())).toBeDefined();
  clock.advance(1);
  expect(tokens.current()).toEqual([]);
  const later = tokens.issue({ client: 'a', scopes });
  clock.set(clock.now() - 2 * TOKEN_LIFETIME_MS);
  expect(findToken(later, tokens.current())).toBeUndefined();
});

test('a client fills the memory with tokens, or ends those of another', () => {
  const tokens = createAccessTokens({ clock: manualClock() });
  const other = tokens.issue({ client: 'other', scopes });
  const issued = Array.from({ length: 100 }, () => tokens.issue({ client: 'busy', scopes }));
  expect(tokens.current()).toHaveLength(33);
  expect(findToken(other, tokens.current())).toMatchObject({ client: 'other' });
  expect(findToken(issued[0]!, tokens.current())).toBeUndefined();
  expect(findToken(issued[99]!, tokens.current())).toMatchObject({ client: 'busy' });
  tokens.endClient('busy');
  expect(tokens.current().map(({ client }) => client)).toEqual(['other']);
});

test('the text of a token is kept', () => {
  const tokens = createAccessTokens({ clock: manualClock() });
  const token = tokens.issue({ client: 'a', scopes });
  expect(token).toMatch(/^brs_at_[\w-]{43}$/);
  expect(JSON.stringify(tokens.current().map((entry) => ({ ...entry, sha256: Buffer.from(entry.sha256).toString('latin1') })))).not.toContain(token.slice(7));
});
