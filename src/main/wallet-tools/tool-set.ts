import type { Scope } from '../../shared/access/scopes.ts';
import type { OwnTool, OwnTools } from '../bridge/aggregate/own-tools.ts';
import type { WalletTool } from './define-tool.ts';

export interface ToolSetDeps {
  readonly tools: () => readonly WalletTool[];
  /** What the owner approved for a client. Asked when it connects and at each change: what a connection has once it keeps, unless it is withdrawn. */
  readonly approved?: (client: string) => readonly WalletTool[];
  /** What a client may do now, and no more than its token names. Asked each time: a grant may be taken back. */
  readonly scopesOf: (client: string, limit?: readonly Scope[]) => readonly Scope[];
  /** Throws `SCOPE_MISSING` where that does not hold for a scope. */
  readonly require: (scope: Scope, client: string, limit?: readonly Scope[]) => void;
}

export interface ToolSet extends OwnTools {
  /** Tells every connection that its list may be another one now. */
  changed(): void;
}

/** Bursar's own tools: each client has those that it was granted, and no other exists for it. */
export function createToolSet({ tools, approved = () => [], scopesOf, require }: ToolSetDeps): ToolSet {
  const listeners = new Set<() => void>();
  return {
    changed() {
      for (const listener of listeners) listener();
    },
    open(client, onChanged, limit) {
      const kept = new Map<string, WalletTool>();
      const gather = (): void => {
        for (const tool of approved(client)) kept.set(tool.name, tool);
      };
      const granted = (): readonly WalletTool[] => {
        const scopes = scopesOf(client, limit);
        const own = tools();
        // A tool that a seller's address named never stands in the place of Bursar's own.
        const others = [...kept.values()].filter((tool) => tool.isWithdrawn?.() !== true && !own.some(({ name }) => name === tool.name));
        return [...own, ...others].filter(({ scope }) => scopes.includes(scope));
      };
      /** A payment of the tool asks again at each of its steps: between the call and the signature a grant may be taken back. */
      const asGranted = ({ name, scope, run }: WalletTool): OwnTool => ({ name, run: (call) => run({ ...call, requireMayPay: () => require(scope, client, limit) }) });
      const listener = (): void => {
        gather();
        onChanged();
      };
      gather();
      listeners.add(listener);
      return {
        listed: () => granted().map(({ entryText }) => entryText),
        find: (wanted) => {
          const tool = granted().find(({ name }) => name === wanted);
          return tool && asGranted(tool);
        },
        close: () => void listeners.delete(listener),
      };
    },
  };
}
