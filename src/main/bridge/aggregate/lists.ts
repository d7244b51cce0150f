import { childOf, OPEN_BRACKET, skipValue, stringAt, textAt, walkArray, type Span } from '../json-text.ts';
import { setMembers, splice } from '../splice.ts';
import { shownName } from './names.ts';

/** What servers list, and by which name or address an entry is asked for. */
export const LISTS = {
  tools: { method: 'tools/list', member: 'tools', key: 'name', capability: 'tools' },
  prompts: { method: 'prompts/list', member: 'prompts', key: 'name', capability: 'prompts' },
  resources: { method: 'resources/list', member: 'resources', key: 'uri', capability: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate', capability: 'resources' },
} as const;

export type ListKind = keyof typeof LISTS;
export const LIST_KINDS = Object.keys(LISTS) as readonly ListKind[];

/** One entry of a list. */
export interface Listed {
  /** Its name or address at its own server. */
  readonly own: string;
  /** The one that clients see. */
  readonly shown: string;
  /** Raw JSON with the shown name or address in it; all else as the server wrote it. */
  readonly text: string;
}

export interface ListPage {
  readonly items: readonly Listed[];
  /** Raw JSON of `nextCursor`. */
  readonly nextCursor: string | undefined;
}

/** The entries in the result of a list request; what has no name or address is left out. Linear in the text's length. */
export function readPage(kind: ListKind, upstream: string, text: string, result: Span): ListPage {
  const { member, key } = LISTS[kind];
  const items: Listed[] = [];
  const list = childOf(text, result, member);
  if (list !== undefined && text.charCodeAt(list.start) === OPEN_BRACKET) {
    walkArray(text, list.start, (start) => {
      const span = { start, end: skipValue(text, start) };
      const own = stringAt(text, childOf(text, span, key));
      if (own !== undefined) items.push(key === 'name' ? shownAs({ own, shown: own, text: textAt(text, span) }, kind, shownName(upstream, own)) : { own, shown: own, text: textAt(text, span) });
      return span.end;
    });
  }
  const cursor = childOf(text, result, 'nextCursor');
  return { items, nextCursor: cursor === undefined || stringAt(text, cursor) === undefined ? undefined : textAt(text, cursor) };
}

/** The same entry under another name or address. */
export function shownAs({ own, text }: Listed, kind: ListKind, shown: string): Listed {
  return { own, shown, text: splice(text, setMembers(text, { start: 0, end: text.length }, { [LISTS[kind].key]: JSON.stringify(shown) })) };
}
