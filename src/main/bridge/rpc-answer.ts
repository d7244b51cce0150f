import { stringAt, textAt } from './json-text.ts';
import { toOneLine } from './lines.ts';
import { answers } from './older-session.ts';
import { idKey } from './request-id.ts';
import { scanPayload } from './scan.ts';
import type { Outgoing } from './upstream.ts';

/** JSON-RPC code of the MCP SDKs for a session that does not exist, as raw JSON. */
const SESSION_NOT_FOUND = '-32001';

/** Is this body of an HTTP error a JSON-RPC answer, or several? */
export function isRpcAnswer(body: string): boolean {
  try {
    const { messages } = scanPayload(body);
    return messages.length > 0 && messages.every((message) => message.kind === 'response' && message.fields.id !== undefined);
  } catch {
    return false;
  }
}

/** Did the server answer this very request, whatever its HTTP status? Not where it says, as the MCP SDKs do, that there is no such session. */
export function isOwnAnswer(body: string, { text, scan }: Pick<Outgoing, 'text' | 'scan'>): boolean {
  if (!isRpcAnswer(body)) return false;
  const code = scanPayload(body).messages[0]?.fields['error.code'];
  if (code !== undefined && textAt(body, code) === SESSION_NOT_FOUND) return false;
  return (scan ?? scanPayload(text)).messages.some(({ kind, fields: { id } }) => kind === 'request' && id !== undefined && answers(body, idKey(text, id)));
}

/** The JSON-RPC answer to the request of this key that is the body of an HTTP error, on one line; undefined where it is none. */
export function answerTo(body: string, key: string): string | undefined {
  try {
    const { batch, messages: [message] } = scanPayload(body);
    return !batch && message?.kind === 'response' && message.fields.id !== undefined && idKey(body, message.fields.id) === key ? toOneLine(body) : undefined;
  } catch {
    return undefined;
  }
}

/** The version of the protocol that an answer to `initialize` agrees on; undefined where it names none. */
export function negotiatedVersion(line: string): string | undefined {
  try {
    return scanPayload(line).messages.map((message) => stringAt(line, message.fields['result.protocolVersion'])).find((version) => version !== undefined);
  } catch {
    // Not JSON: the session says so to the client.
    return undefined;
  }
}
