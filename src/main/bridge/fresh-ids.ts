import { textAt } from './json-text.ts';
import { freshId, idKey } from './request-id.ts';
import { scanPayload, type PayloadScan } from './scan.ts';
import { splice, type Edit } from './splice.ts';

/** A request under ids that no other request to the same server has, and the way back. */
export interface FreshIds {
  readonly text: string;
  /** Gives a message of the server that belongs to the request the client's own ids again. */
  restore(text: string): string;
}

/** Every place where a server repeats the id of a request or its progress token. */
const ID_FIELDS = ['id', 'params._meta.io.modelcontextprotocol/subscriptionId', 'result._meta.io.modelcontextprotocol/subscriptionId'] as const;

/**
 * Several HTTP clients that share one stdio server choose the same ids and progress tokens, and nothing but these tells their
 * messages apart there. Everything else stays byte for byte.
 */
export function withFreshIds(text: string, { messages: [request] }: PayloadScan): FreshIds {
  const id = request?.fields.id;
  if (request?.kind !== 'request' || id === undefined) return { text, restore: (answer) => answer };
  const token = request.fields['params._meta.progressToken'];
  const fresh = JSON.stringify(freshId());
  const freshKey = idKey(fresh, { start: 0, end: fresh.length });
  const idText = textAt(text, id);
  const tokenText = token === undefined ? undefined : textAt(text, token);
  return {
    text: splice(text, [id, ...(token === undefined ? [] : [token])].map((span) => ({ ...span, text: fresh }))),
    restore(answer) {
      const edits: Edit[] = [];
      for (const { kind, fields } of scanPayload(answer).messages) {
        for (const field of ID_FIELDS) {
          const span = fields[field];
          if (span !== undefined && (field !== 'id' || kind === 'response') && idKey(answer, span) === freshKey) edits.push({ ...span, text: idText });
        }
        const reported = fields['params.progressToken'];
        if (tokenText !== undefined && reported !== undefined && idKey(answer, reported) === freshKey) edits.push({ ...reported, text: tokenText });
      }
      return edits.length === 0 ? answer : splice(answer, edits);
    },
  };
}
