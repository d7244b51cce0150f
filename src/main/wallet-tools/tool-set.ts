import type { Scope } from '../../shared/access/scopes.ts';
import type { OwnTools } from '../bridge/aggregate/own-tools.ts';
import type { WalletTool } from './define-tool.ts';

export interface ToolSetDeps {
  readonly tools: () => readonly WalletTool[];
  /** What the owner approved for a client. Asked when it connects and at each change: what a connection has once it keeps, unless it is withdrawn. */
  readonly approved?: (client: string) => readonly WalletTool[];
  /** What a client was granted. Asked each time: a grant may be taken back. */
  readonly scopesOf: (client: string) => readonly Scope[];
}

export interface ToolSet extends OwnTools {
  /** Tells every connection that its list may be another one now. */
  changed(): void;
}

/** Bursar's own tools: each client has those that it was granted, and no other exists for it. */
export function createToolSet({ tools, approved = () => [], scopesOf }: ToolSetDeps): ToolSet {
  const listeners = new Set<() => void>();
  return {
    changed() {
      for (const listener of listeners) listener();
    },
    open(client, onChanged) {
      const kept = new Map<string, WalletTool>();
      const gather = (): void => {
        for (const tool of approved(client)) kept.set(tool.name, tool);
      };
      const granted = (): readonly WalletTool[] => {
        const scopes = scopesOf(client);
        const own = tools();
        // A tool that a seller's address named never stands in the place of Bursar's own.
        const others = [...kept.values()].filter((tool) => tool.isWithdrawn?.() !== true && !own.some(({ name }) => name === tool.name));
        return [...own, ...others].filter(({ scope }) => scopes.includes(scope));
      };
      const listener = (): void => {
        gather();
        onChanged();
      };
      gather();
      listeners.add(listener);
      return {
        listed: () => granted().map(({ entryText }) => entryText),
        find: (tool) => granted().find(({ name }) => name === tool),
        close: () => void listeners.delete(listener),
      };
    },
  };
}
