/** Bursar's own tools, as the aggregate route offers them beside those of the servers. */
export interface OwnTools {
  /** The entries of `tools/list`, as JSON. */
  readonly listed: readonly string[];
  /** Undefined where no tool of Bursar's has this name. `argumentsText` is the client's JSON. Throws what the agent is told. */
  call(tool: string, call: OwnToolCall): OwnToolAnswer | undefined;
}

export interface OwnToolCall {
  /** The registered client that asks; it sees what is its own. */
  readonly client: string;
  readonly argumentsText: string;
}

export type OwnToolAnswer =
  | { readonly kind: 'result'; readonly resultText: string }
  /** A tool of a server is called again, as it was called before; `wrap` makes its result (JSON) the result of this tool. */
  | { readonly kind: 'again'; readonly upstream: string; readonly tool: string; readonly argumentsText: string; readonly wrap: (resultText: string) => string };
