import { textAt } from '../json-text.ts';
import { freshId, idKey } from '../request-id.ts';
import type { MessageScan } from '../scan.ts';
import { splice, type Edit } from '../splice.ts';

/** So many requests of servers may wait for the client; the oldest is forgotten first. */
const MOST_OPEN = 4_096;

/** A message for one of the servers. */
export interface Addressed<Member> {
  readonly member: Member;
  readonly text: string;
}

/**
 * Requests that servers sent to the client. Two servers may use the same id, so the client sees one of Bursar's own, and the same as the
 * progress token.
 */
export interface ServerRequests<Member> {
  /** The request as the client gets it. */
  add(member: Member, text: string, message: MessageScan): string;
  /** The client's answer, for the server that asked; undefined where none did. */
  answer(text: string, message: MessageScan): Addressed<Member> | undefined;
  /** The client's `notifications/progress`, for the server that asked. */
  progress(text: string, message: MessageScan): Addressed<Member> | undefined;
  /** A server's `notifications/cancelled` as the client gets it; undefined where it names no open request of that server. */
  cancelled(member: Member, text: string, message: MessageScan): string | undefined;
  /** The server is gone. */
  forget(member: Member): void;
}

interface Open<Member> {
  readonly member: Member;
  readonly idText: string;
  readonly key: string;
  readonly tokenText: string | undefined;
}

export function createServerRequests<Member>(): ServerRequests<Member> {
  /** By the raw id that the client sees. */
  const open = new Map<string, Open<Member>>();

  return {
    add(member, text, { fields: { id, 'params._meta.progressToken': token } }) {
      if (id === undefined) return text;
      const shown = JSON.stringify(freshId());
      const [oldest] = open.keys();
      if (open.size >= MOST_OPEN && oldest !== undefined) open.delete(oldest);
      open.set(shown, { member, idText: textAt(text, id), key: idKey(text, id), tokenText: token && textAt(text, token) });
      const edits: Edit[] = [{ ...id, text: shown }];
      if (token !== undefined) edits.push({ ...token, text: shown });
      return splice(text, edits);
    },
    answer(text, { fields: { id } }) {
      if (id === undefined) return undefined;
      const shown = textAt(text, id);
      const asked = open.get(shown);
      open.delete(shown);
      return asked && { member: asked.member, text: splice(text, [{ ...id, text: asked.idText }]) };
    },
    progress(text, { fields: { 'params.progressToken': token } }) {
      const asked = token && open.get(textAt(text, token));
      if (token === undefined || asked?.tokenText === undefined) return undefined;
      return { member: asked.member, text: splice(text, [{ ...token, text: asked.tokenText }]) };
    },
    cancelled(member, text, { fields: { 'params.requestId': id } }) {
      if (id === undefined) return undefined;
      const key = idKey(text, id);
      const found = [...open].find(([, asked]) => asked.member === member && asked.key === key);
      if (found === undefined) return undefined;
      open.delete(found[0]);
      return splice(text, [{ ...id, text: found[0] }]);
    },
    forget(member) {
      for (const [shown, asked] of open) if (asked.member === member) open.delete(shown);
    },
  };
}
