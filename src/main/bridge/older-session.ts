import { childOf, textAt } from './json-text.ts';
import { freshId, idKey } from './request-id.ts';
import { scanPayload } from './scan.ts';
import { splice } from './splice.ts';
import type { Outgoing } from './upstream.ts';

/** Lists of which a server may say that they changed (MCP 2025-11-25, Lifecycle, Capabilities). */
const LISTS = ['tools', 'prompts', 'resources'];

/** How a client opened its session of the older protocol, to open another one in its words. */
export interface OlderSession {
  /** Takes note of what the client sends. */
  sent(message: Outgoing): void;
  /** Takes note of what the server says; costs nothing once it has answered `initialize`. */
  heard(text: string): void;
  /** The client's `initialize` under a fresh id, with the key of that id; undefined before there was one. */
  again(): { readonly text: string; readonly key: string } | undefined;
  /** The client's `initialized`, once it was sent. */
  readonly initialized: string | undefined;
  /** What tells the client to read again whatever lists its server may change. */
  changes(): string[];
}

export function createOlderSession(): OlderSession {
  let initialize: string | undefined;
  let initialized: string | undefined;
  /** The key of the client's `initialize`, until it is answered. */
  let asked: string | undefined;
  let tells: readonly string[] = [];
  return {
    sent({ text, handshake }) {
      if (handshake === 'initialized') initialized = text;
      if (handshake !== 'initialize') return;
      initialize = text;
      const id = scanPayload(text).messages[0]?.fields.id;
      asked = id && idKey(text, id);
    },
    heard(text) {
      if (asked === undefined || !answers(text, asked)) return;
      asked = undefined;
      tells = toldBy(text);
    },
    again() {
      const id = initialize === undefined ? undefined : scanPayload(initialize).messages[0]?.fields.id;
      if (initialize === undefined || id === undefined) return undefined;
      const idText = JSON.stringify(freshId());
      return { text: splice(initialize, [{ ...id, text: idText }]), key: idKey(idText, { start: 0, end: idText.length }) };
    },
    get initialized() {
      return initialized;
    },
    changes: () => (initialized === undefined ? [] : tells.map((list) => `{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`)),
  };
}

/** Does this text answer the request of this key? */
export const answers = (text: string, key: string): boolean => answerKind(text, key) !== undefined;

/** How this text answers the request of this key; undefined where it does not. */
export function answerKind(text: string, key: string): 'result' | 'error' | undefined {
  try {
    const answer = scanPayload(text).messages.find(({ kind, fields }) => kind === 'response' && fields.id !== undefined && idKey(text, fields.id) === key);
    return answer && (answer.fields.error === undefined ? 'result' : 'error');
  } catch {
    return undefined;
  }
}

function toldBy(text: string): string[] {
  const capabilities = childOf(text, scanPayload(text).messages[0]?.fields.result, 'capabilities');
  return LISTS.filter((list) => {
    const tells = childOf(text, childOf(text, capabilities, list), 'listChanged');
    return tells !== undefined && textAt(text, tells) === 'true';
  });
}
