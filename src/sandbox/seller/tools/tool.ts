import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SandboxNetwork } from '../../networks.ts';

/** What a tool costs: base units of USDC, payable on any of the networks. */
export interface Price {
  readonly amount: bigint;
  readonly networks: readonly SandboxNetwork[];
}

interface ToolFacts<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  readonly price?: Price;
}

interface TypedTool<Input extends z.ZodObject, Output extends z.ZodObject> extends ToolFacts<Input, Output> {
  /** Computes the answer. Throws where the input makes no sense; the text reaches the caller. */
  run(input: z.infer<Input>): z.infer<Output>;
}

/** A tool of the demo server; it knows its price, not how it is collected. */
export interface Tool extends ToolFacts<z.ZodObject, z.ZodObject> {
  /** Computes the answer. Throws where the input makes no sense; the text reaches the caller. */
  run(input: unknown): Record<string, unknown>;
}

/** A tool, written down with the types of its schemas. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: TypedTool<Input, Output>): Tool => ({
  ...tool,
  run: (input) => tool.run(tool.inputSchema.parse(input)),
});

/** A tool's answer as MCP carries it: structured, and the same as text. */
export const structuredResult = (value: Record<string, unknown>): CallToolResult => ({
  structuredContent: value,
  content: [{ type: 'text', text: JSON.stringify(value) }],
});

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A calendar date such as `2026-06-21` (UTC). */
export const dateSchema = z
  .string()
  .refine((text) => DATE.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text), 'must be a date such as 2026-06-21')
  .describe('The date, such as 2026-06-21 (UTC)');
/** A latitude in degrees. */
export const latitudeSchema = z.number().min(-90).max(90).describe('Degrees, north positive');
/** A longitude in degrees. */
export const longitudeSchema = z.number().min(-180).max(180).describe('Degrees, east positive');

/** The UTC midnight of a date, in Unix milliseconds. */
export const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
