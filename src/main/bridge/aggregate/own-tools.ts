import type { SeenIn } from '../../../core/policy/provenance.ts';
import type { Scope } from '../../../shared/access/scopes.ts';

/** Bursar's own tools, as the aggregate route offers them beside those of the servers. */
export interface OwnTools {
  /** The tools as one connection of a client sees them; `limit` is what its token may do, where that is less. `onChanged` is called whenever its list is another one. */
  open(client: string, onChanged: () => void, limit?: readonly Scope[]): OwnToolsView;
}

export interface OwnToolsView {
  /** The entries of `tools/list`, as JSON. */
  listed(): readonly string[];
  /** Undefined where this client has no tool of that name here. */
  find(tool: string): OwnTool | undefined;
  close(): void;
}

export interface OwnTool {
  readonly name: string;
  /** A rejection becomes a JSON-RPC error: what the agent did wrong is a result that says so. */
  run(call: OwnToolCall): Promise<OwnToolAnswer>;
}

export interface OwnToolCall {
  /** The registered client that asks; it sees what is its own. */
  readonly client: string;
  /** What its token is limited to, where it is. */
  readonly scopes?: readonly Scope[];
  /** Its connection; session caps count by it. */
  readonly session: string;
  /** Where an address was first seen in what servers told this client's agent. */
  readonly seenIn: SeenIn;
  /** The client's JSON. */
  readonly argumentsText: string;
  /** Throws where the client may not have this tool pay, or may no longer: asked again at every step until the signature. */
  readonly requireMayPay?: () => void;
  /** When the client made the call (ms). */
  readonly startedAt: number;
  /** Aborts when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Tells the client that it has to wait. */
  progress(message: string): void;
}

export type OwnToolAnswer =
  /** `delivered` is told once whether the result was written to the client's request. */
  | { readonly kind: 'result'; readonly resultText: string; readonly delivered?: (written: boolean) => void }
  /** A tool of a server, or another one of Bursar's own (`bursar`), is called again, as it was called before; `wrap` makes its result (JSON) the result of this tool. */
  | { readonly kind: 'again'; readonly upstream: string; readonly tool: string; readonly argumentsText: string; readonly wrap: (resultText: string) => string };
