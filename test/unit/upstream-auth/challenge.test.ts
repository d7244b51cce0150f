import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChallenge } from '../../../src/main/upstream-auth/discover.ts';

test('a challenge that stands behind another scheme is not found, or one of another scheme is taken', () => {
  const bearer = 'Bearer realm="x", resource_metadata="https://a.example/m", scope="read write", error="insufficient_scope"';
  const read = { resourceMetadataUrl: new URL('https://a.example/m'), scope: 'read write', error: 'insufficient_scope' };
  expect(readChallenge(['Basic realm="x"', bearer])).toEqual(read);
  expect(readChallenge([bearer.replace('Bearer', 'bearer')])).toEqual(read);
  expect(readChallenge(['Basic realm="x"', 'Payment id="1"', 'Bearerish scope="a"'])).toBeUndefined();
  expect(readChallenge([])).toBeUndefined();
  expect(readChallenge(['Bearer'])).toEqual({});
  expect(readChallenge(['Bearer resource_metadata="not a url", scope=""'])).toEqual({});
  expect(readChallenge([`Bearer scope="${'x '.repeat(4_000)}"`])).toEqual({});
});

test('what a server writes into its refusal ends Bursar', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string().map((text) => `Bearer ${text}`), fc.string().map((text) => `Bearer scope="${text}", resource_metadata=${text}`))), (values) => {
      const read = readChallenge(values);
      expect(read === undefined || typeof read === 'object').toBe(true);
    }),
    { numRuns: 200 },
  );
});
