import { readFileSync } from 'node:fs';
import { z } from 'zod';

const pays = z.enum(['evm', 'svm', 'delegated-svm', 'card', 'nothing']);
const over = z.enum(['stdio', 'http', 'api']);
const rowSchema = z.strictObject({
  seller: z.enum(['own', 'express', 'mcpay', 'vercel', 'vercel-base', 'mppx']),
  /** How the seller asks, in words. */
  sells: z.string(),
  /** The dialect under which Bursar has to book it. */
  dialect: z.string(),
  rails: z.array(z.strictObject({ rail: z.string(), pays })).min(1),
  /** `stdio` and `http` are MCP, on both sides of Bursar; `api` is a paid HTTP API. */
  over: z.array(over).min(1),
  /** Name of the tool; `{rail}` stands for `evm` or `svm`. */
  tool: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /**
   * Path of the API with its query; `{rail}` as above, `{networks}` for the chain's CAIP-2 name, `{fact}` for a fact
   * of its own on each chain: at one address, another chain than before would be asked about. */
  path: z.string().optional(),
  /** Base units that have to move; cents for a card. */
  units: z.string().regex(/^\d+$/),
  /** How the money has to go, as the journal says it. */
  flow: z.enum(['authorize', 'prepay', 'hold']).default('authorize'),
  expect: z.enum(['paid', 'refused']),
  /** Whether Bursar has to ask its owner although the policy allows everything. */
  asks: z.boolean().default(false),
  /** The error code of a refusal. */
  code: z.string().optional(),
  /** What the text of a refusal has to name. */
  names: z.string().optional(),
});
const fileSchema = z.strictObject({ about: z.string(), rows: z.array(rowSchema) });

/** One thing to buy, in one way. */
export interface Cell extends Omit<z.infer<typeof rowSchema>, 'rails' | 'over'> {
  readonly rail: string;
  readonly pays: z.infer<typeof pays>;
  readonly over: z.infer<typeof over>;
}

const FILE = new URL('../foreign/matrix.json', import.meta.url);

/** Every cell of `test/foreign/matrix.json`. */
export function readCells(): readonly Cell[] {
  const { rows } = fileSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  return rows.flatMap(({ rails, over: ways, ...row }) => ways.flatMap((way) => rails.map((rail) => ({ ...row, ...rail, over: way }))));
}
