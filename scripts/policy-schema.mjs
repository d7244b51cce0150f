// Writes docs/policy.schema.json anew: node scripts/with-node.mjs node scripts/policy-schema.mjs
import { writeFileSync } from 'node:fs';
import { policySchemaText } from '../src/shared/policy/policy-schema.ts';

writeFileSync(new URL('../docs/policy.schema.json', import.meta.url), policySchemaText());
