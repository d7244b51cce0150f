import type { Json, JsonObject } from '../json/json.ts';

/** The HTTP side of an answer, where its transport has one. */
export interface HttpFacts {
  readonly status: number;
  /** Names in lower case, with every value of a repeated header. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  /** Text of the body, where that is no JSON-RPC message or the status is 402; at most 1 MiB. */
  readonly body: string;
}

/** What a server answered to a call. */
export interface ServerAnswer {
  /** JSON text: the JSON-RPC response, or a purchased HTTP answer as its buyer writes it. Empty where HTTP alone refused. */
  readonly text: string;
  readonly http?: HttpFacts;
  /** Bursar's own order (`order.ts`). No answer from a network has it. */
  readonly order?: JsonObject;
}

/** What `tools/list` says about paying for a tool: of its raw entry the members `payment`, `_meta` and `annotations`, and of `inputSchema` the payment arguments. */
export type ToolListing = JsonObject;

/** An answer as dialects read it. */
export interface Reading {
  /** The JSON-RPC response. */
  readonly rpc?: JsonObject;
  readonly http?: HttpFacts;
  /** Bursar's own order. */
  readonly order?: JsonObject;
  readonly listing?: ToolListing;
  /** The dialect in which this tool last asked for money. */
  readonly lastDialect?: string;
}

/** First value of a header; its name in lower case. */
export const header = (http: HttpFacts | undefined, name: string): string | undefined => http?.headers[name]?.[0];

/** What a repeated call carries besides what the client sent. Values of `meta` and `arguments` are raw JSON; each replaces a member of the same name. */
export interface RetryEdit {
  readonly meta?: Readonly<Record<string, string>>;
  readonly arguments?: Readonly<Record<string, string>>;
  /** HTTP request headers; without effect on stdio. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Empty for whatever is no text. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
