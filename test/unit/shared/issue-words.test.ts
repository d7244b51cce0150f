import { expect, test } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../../../src/shared/contract/contract.ts';
import { firstIssue, issueWords } from '../../../src/shared/errors/issue-words.ts';
import { defaultPolicy, Policy } from '../../../src/shared/policy/policy.ts';

const found = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, { error: issueWords });
  if (!error) throw new Error('It was taken.');
  return firstIssue(error);
};
const policy = defaultPolicy('UTC');
const capped = (cap: object) => ({ ...policy, caps: [{ window: 'day', unit: 'USD', amount: '1', ...cap }] });

test.each<[string, z.ZodType, unknown, string, RegExp]>([
  ['a member that is missing', ROUTES['upstreams.add'].input, { transport: { kind: 'http', url: 'https://a.example' } }, 'name', /^it is missing$/],
  ['a text that is empty', ROUTES['accounts.import'].input, { namespace: 'eip155', label: '', secret: 'x' }, 'label', /^it is empty$/],
  ['a text that is too long', ROUTES['accounts.import'].input, { namespace: 'eip155', label: 'x'.repeat(41), secret: 'x' }, 'label', /^it has to have at most 40 characters$/],
  ['a form that the schema names', ROUTES['upstreams.add'].input, { name: 'Über', transport: {} }, 'name', /^use 1 to 32 of a-z/],
  ['an amount', Policy, capped({ amount: '1,50' }), 'caps[0].amount', /^write a plain number such as 1\.50$/],
  ['another kind of value', Policy, capped({ amount: 1 }), 'caps[0].amount', /^a text is expected$/],
  ['a form inside of a choice', Policy, capped({ window: { rollingMinutes: 0 } }), 'caps[0].window.rollingMinutes', /^it has to be at least 1$/],
  ['a word of a list', Policy, { ...policy, otherwise: 'maybe' }, 'otherwise', /^it has to be one of allow, ask, deny$/],
  ['a member that is not known', Policy, { ...policy, extra: 1 }, '', /^it has a member that is not known: extra$/],
  ['a value that is no object', Policy, 'x', '', /^an object is expected$/],
  ['an address', ROUTES['upstreams.add'].input, { name: 'a', transport: { kind: 'http', url: 'ftp://a.example' } }, 'transport.url', /^it is no address that begins with http/],
])('%s is told in the words of the library, or at another place', (_name, schema, value, field, words) => {
  expect(found(schema, value)).toMatchObject({ field, words: expect.stringMatching(words) });
});

test('any route answers with a pattern, or with words of the library', () => {
  const junk: readonly unknown[] = [undefined, null, 0, '', [], {}, Number.NaN, true];
  for (const [name, { input }] of Object.entries(ROUTES)) {
    const keys = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
    const values = [...junk, ...keys.flatMap((key) => junk.map((value) => ({ [key]: value })))];
    for (const value of values) {
      const { error } = input.safeParse(value, { error: issueWords });
      if (error) expect(`${name}: ${firstIssue(error).words}`).not.toMatch(/pattern|Invalid|received|Too (?:small|big)|expected string|undefined|\.$/);
    }
  }
});
