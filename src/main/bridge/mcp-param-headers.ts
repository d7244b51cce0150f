import { headerValue } from './modern-headers.ts';

/** One argument of a tool that is repeated in an HTTP header (MCP 2026-07-28, Custom Headers from Tool Parameters). */
interface Mirrored {
  readonly header: string;
  /** Where the argument lies in `params.arguments`. */
  readonly path: readonly string[];
}

/** What servers say in `tools/list` about arguments that are repeated in headers, by tool. */
export interface MirroredArguments {
  /** Takes note of a `tools/list` answer. */
  learn(answerText: string): void;
  /** The headers that a call has to carry, with their plain values; `undefined` where nothing is known of the tool. */
  valuesOf(tool: string, argumentsText: string | undefined): ReadonlyMap<string, string> | undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

export function createMirroredArguments(): MirroredArguments {
  const byTool = new Map<string, readonly Mirrored[]>();
  return {
    learn(answerText) {
      // Few servers use it, and their lists may be long.
      if (!answerText.includes('"x-mcp-header"') && byTool.size === 0) return;
      for (const { name, inputSchema } of toolsIn(answerText)) byTool.set(name, mirroredIn(inputSchema, []));
    },
    valuesOf(tool, argumentsText) {
      const mirrored = byTool.get(tool);
      if (mirrored === undefined || mirrored.length === 0) return undefined;
      const args: unknown = argumentsText === undefined ? {} : JSON.parse(argumentsText);
      return new Map(mirrored.flatMap(({ header, path }) => {
        const value = plainValue(path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), args));
        return value === undefined ? [] : [[header, value] as const];
      }));
    },
  };
}

/** The `Mcp-Param-*` headers of a call. */
export const paramHeaders = (values: ReadonlyMap<string, string> | undefined): Record<string, string> =>
  Object.fromEntries([...(values ?? [])].map(([name, value]) => [name, headerValue(value)]));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function toolsIn(answerText: string): { readonly name: string; readonly inputSchema: unknown }[] {
  const answer: unknown = JSON.parse(answerText);
  const tools = isObject(answer) && isObject(answer['result']) ? answer['result']['tools'] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => (isObject(tool) && typeof tool['name'] === 'string' ? [{ name: tool['name'], inputSchema: tool['inputSchema'] }] : []));
}

/** Only chains of `properties` count. */
function mirroredIn(schema: unknown, path: readonly string[]): Mirrored[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([key, property]) => {
    const here = [...path, key];
    const name = isObject(property) ? property['x-mcp-header'] : undefined;
    const own = typeof name === 'string' && TOKEN.test(name) ? [{ header: `mcp-param-${name.toLowerCase()}`, path: here }] : [];
    return [...own, ...mirroredIn(property, here)];
  });
}

function plainValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  return undefined;
}
