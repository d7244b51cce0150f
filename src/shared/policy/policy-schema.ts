import { z } from 'zod';
import { Policy } from './policy.ts';

/** The JSON Schema of a policy file, as `docs/policy.schema.json` holds it. Bursar itself is stricter where a schema cannot say it: time zones and decimal places. */
export function policySchemaText(): string {
  const schema = z.toJSONSchema(Policy, { io: 'input' });
  return `${JSON.stringify({ ...schema, title: 'Policy of Bursar', description: 'Limits and rules of payments. See docs/policy.md.' }, null, 2)}\n`;
}
