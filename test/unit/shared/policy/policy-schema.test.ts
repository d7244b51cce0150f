import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { policySchemaText } from '../../../../src/shared/policy/policy-schema.ts';

test('the published schema of a policy file is not the one that is checked; write it anew with scripts/policy-schema.mjs', () => {
  expect(readFileSync(new URL('../../../../docs/policy.schema.json', import.meta.url), 'utf8')).toBe(policySchemaText());
});
