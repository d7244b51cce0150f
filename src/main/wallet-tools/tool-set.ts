import type { Scope } from '../../shared/access/scopes.ts';
import type { OwnTools } from '../bridge/aggregate/own-tools.ts';
import type { WalletTool } from './define-tool.ts';

export interface ToolSetDeps {
  /** Asked each time: what the owner approves becomes a tool while clients are connected. */
  readonly tools: () => readonly WalletTool[];
  /** What a client was granted. Asked each time: a grant may be taken back. */
  readonly scopesOf: (client: string) => readonly Scope[];
}

export interface ToolSet extends OwnTools {
  /** Tells every connection that its list may be another one now. */
  changed(): void;
}

/** Bursar's own tools: each client has those that it was granted, and no other exists for it. */
export function createToolSet({ tools, scopesOf }: ToolSetDeps): ToolSet {
  const listeners = new Set<() => void>();
  const granted = (client: string): readonly WalletTool[] => {
    const scopes = scopesOf(client);
    return tools().filter(({ scope }) => scopes.includes(scope));
  };
  return {
    changed() {
      for (const listener of listeners) listener();
    },
    open(client, onChanged) {
      const listener = (): void => onChanged();
      listeners.add(listener);
      return {
        listed: () => granted(client).map(({ entryText }) => entryText),
        find: (tool) => granted(client).find(({ name }) => name === tool),
        close: () => void listeners.delete(listener),
      };
    },
  };
}
