/** What a buyer sent, as far as selling looks at it, whatever carried it. */
export interface Call {
  readonly args: Readonly<Record<string, unknown>>;
  /** `params._meta` of an MCP request; empty over plain HTTP. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** HTTP request headers by lower-case name; empty over stdio. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What a seller answers: a tool's result, a JSON-RPC error, or an HTTP answer of its own. */
export type Reply =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>>; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'http'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: unknown };

/** Whether the goods were not delivered, so that nothing is charged. */
export function hasFailed(reply: Reply): boolean {
  if (reply.kind === 'error') return true;
  return reply.kind === 'http' ? reply.status >= 400 : reply.result['isError'] === true;
}

/** The reply's `result._meta` with one more member. Replies of another kind stay as they are. */
export const withMeta = (reply: Reply, key: string, value: unknown): Reply =>
  reply.kind === 'result' ? { ...reply, result: { ...reply.result, _meta: { ...asRecord(reply.result['_meta']), [key]: value } } } : reply;

/** The value as an object; empty where it is none. */
const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** True for an object that is no array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
