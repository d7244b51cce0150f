import { expect, test } from 'vitest';
import { createAccessTokens, TOKEN_LIFETIME_MS } from '../../../src/main/access/access-tokens.ts';
import { callerOf } from '../../../src/main/bridge/http-gate.ts';
import { manualClock } from '../../support/rpc/contract-fakes.ts';

const scopes = ['payment_context:read'] as const;

test('a token outlives its time, also where the clock is set back', () => {
  const clock = manualClock(10 * TOKEN_LIFETIME_MS);
  const tokens = createAccessTokens({ clock });
  const token = tokens.issue({ client: 'a', scopes, audience: '/mcp/demo' });
  expect(callerOf(token, '/mcp/demo', tokens.current())).toEqual({ client: 'a', scopes });
  expect(callerOf(token, '/mcp/other', tokens.current())).toMatchObject({ status: 401 });
  clock.advance(TOKEN_LIFETIME_MS - 1);
  expect(callerOf(token, '/mcp/demo', tokens.current())).toHaveProperty('client');
  clock.advance(1);
  expect(tokens.current()).toEqual([]);
  const later = tokens.issue({ client: 'a', scopes });
  clock.set(clock.now() - 2 * TOKEN_LIFETIME_MS);
  expect(callerOf(later, '/mcp', tokens.current())).toMatchObject({ status: 401 });
});

test('a client fills the memory with tokens, or ends those of another', () => {
  const tokens = createAccessTokens({ clock: manualClock() });
  const other = tokens.issue({ client: 'other', scopes });
  const issued = Array.from({ length: 100 }, () => tokens.issue({ client: 'busy', scopes }));
  expect(tokens.current()).toHaveLength(33);
  expect(callerOf(other, '/mcp', tokens.current())).toMatchObject({ client: 'other' });
  expect(callerOf(issued[0]!, '/mcp', tokens.current())).toMatchObject({ status: 401 });
  expect(callerOf(issued[99]!, '/mcp', tokens.current())).toMatchObject({ client: 'busy' });
  tokens.endClient('busy');
  expect(tokens.current().map(({ client }) => client)).toEqual(['other']);
});

test('the text of a token is kept', () => {
  const tokens = createAccessTokens({ clock: manualClock() });
  const token = tokens.issue({ client: 'a', scopes });
  expect(token).toMatch(/^brs_at_[\w-]{43}$/);
  expect(JSON.stringify(tokens.current().map((entry) => ({ ...entry, sha256: Buffer.from(entry.sha256).toString('latin1') })))).not.toContain(token.slice(7));
});
