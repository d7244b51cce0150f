import { z } from 'zod';
import type { SellingDialect } from '../payment/dialect.ts';
import type { Price } from '../payment/terms.ts';
import type { RailName } from '../rails.ts';

/** How a tool is sold over MCP. */
export interface ToolSale {
  readonly price: Price;
  readonly dialect: SellingDialect;
  /** The seller's preference first. */
  readonly rails: readonly RailName[];
  /** Whether this input costs nothing. */
  readonly freeWhen?: (input: Readonly<Record<string, unknown>>) => boolean;
  /** At most this many sales to one payer within a minute. */
  readonly salesPerMinute?: number;
  /** Over HTTP, sold in front of the MCP server, as payment middleware does it. `only`: it has no other form. */
  readonly inFront?: 'only' | 'too';
}

interface ToolFacts<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it does, without the price. */
  readonly description: string;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
}

interface TypedTool<Input extends z.ZodObject, Output extends z.ZodObject> extends ToolFacts<Input, Output> {
  /** Computes the answer. Throws where the input makes no sense; the text reaches the caller. */
  run(input: z.infer<Input>): z.infer<Output>;
}

/** A tool of the demo server; it knows neither its price nor how that is collected. */
export interface Tool extends ToolFacts<z.ZodObject, z.ZodObject> {
  /** Computes the answer. Throws where the input makes no sense; the text reaches the caller. */
  run(input: unknown): Record<string, unknown>;
}

/** A tool, written down with the types of its schemas. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: TypedTool<Input, Output>): Tool => ({
  ...tool,
  run: (input) => tool.run(tool.inputSchema.parse(input)),
});

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A calendar date such as `2026-06-21` (UTC). */
export const dateSchema = z
  .string()
  .refine((text) => DATE.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text), 'must be a date such as 2026-06-21')
  .describe('The date, such as 2026-06-21 (UTC)');
/** An instant such as `2026-06-21T12:00:00Z`. */
export const instantSchema = z.iso.datetime({ offset: true }).describe('The instant, such as 2026-06-21T12:00:00Z');
/** A latitude in degrees. */
export const latitudeSchema = z.number().min(-90).max(90).describe('Degrees, north positive');
/** A longitude in degrees. */
export const longitudeSchema = z.number().min(-180).max(180).describe('Degrees, east positive');
/** A year of the Gregorian calendar. */
export const yearSchema = z.int().min(1600).max(2999).describe('The year, 1600 to 2999');
/** A place and a date. */
export const placeAndDate = z.object({ latitude: latitudeSchema, longitude: longitudeSchema, date: dateSchema });

/** The UTC midnight of a date, in Unix milliseconds. */
export const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** A time in UTC to the minute, such as `2026-06-21T03:04Z`. */
export const toMinute = (unixMs: number): string => `${new Date(Math.round(unixMs / 60_000) * 60_000).toISOString().slice(0, 16)}Z`;

/** A number with so many decimal places. */
export const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;
