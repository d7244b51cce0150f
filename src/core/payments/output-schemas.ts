import { isObject, member, stringifyJson, type Json } from '../json/json.ts';

/** A longer schema is not kept, and longer content not judged. */
const MAX_SCHEMA_CHARACTERS = 16_384;
const MAX_CONTENT_CHARACTERS = 262_144;
/** So many tools with a schema are remembered; the oldest go first. */
const MOST_SCHEMAS = 500;

/**
 * Says in words why a JSON value does not fit a JSON Schema; undefined where it fits, or where that cannot be told: a schema that cannot
 * be compiled, or takes too long, judges nobody. Both are JSON texts that strangers wrote. Never throws.
 */
export type SchemaCheck = (schemaText: string, valueText: string) => Promise<string | undefined>;

/** The `outputSchema` of tools as their servers last listed them, in memory, and what bought answers are held against. */
export interface OutputSchemas {
  /** What `tools/list` says now; undefined where the tool declares none. */
  note(upstream: string, tool: string, schemaText: string | undefined): void;
  /** Why a result's `structuredContent` does not fit what its tool declares (MCP 2025-06-18, "Output Schema"); undefined where it has none. */
  problem(tool: { readonly upstream: string; readonly tool: string }, result: Json | undefined): Promise<string | undefined>;
  /** The server was changed or removed. */
  forget(upstream: string): void;
}

export function createOutputSchemas(check: SchemaCheck): OutputSchemas {
  const schemas = new Map<string, { readonly upstream: string; readonly text: string }>();
  const keyOf = (upstream: string, tool: string) => JSON.stringify([upstream, tool]);
  return {
    note(upstream, tool, text) {
      const key = keyOf(upstream, tool);
      schemas.delete(key);
      if (text === undefined || text.length > MAX_SCHEMA_CHARACTERS) return;
      const [oldest] = schemas.keys();
      if (schemas.size >= MOST_SCHEMAS && oldest !== undefined) schemas.delete(oldest);
      schemas.set(key, { upstream, text });
    },
    async problem({ upstream, tool }, result) {
      const schema = schemas.get(keyOf(upstream, tool));
      const content = member(result, 'structuredContent');
      if (!schema || !isObject(content)) return undefined;
      const text = stringifyJson(content);
      return text.length > MAX_CONTENT_CHARACTERS ? undefined : check(schema.text, text);
    },
    forget(upstream) {
      for (const [key, schema] of schemas) if (schema.upstream === upstream) schemas.delete(key);
    },
  };
}
