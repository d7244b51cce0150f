import type { ToolListing } from '../../core/challenges/answer.ts';
import { PAYMENT_ARGUMENTS } from '../../core/challenges/payment-keys.ts';
import { parseJson, type Json } from '../../core/json/json.ts';
import { isBursarError } from '../../shared/errors/errors.ts';
import { cutMembers, cutStrings } from './cut.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipValue, stringAt, textAt, walkArray, walkObject, type Span } from './json-text.ts';
import type { Edit } from './splice.ts';

/** Longer members are not about a price. */
const MAX_MEMBER_CHARACTERS = 4_096;
const PRICED = /x402|pric|payment/i;

/** One tool of a `tools/list` result, by the places of its members. */
export interface ListedTool {
  readonly name: string;
  readonly span: Span;
  readonly members: Readonly<Partial<Record<string, Span>>>;
}

/** The tools of a `tools/list` result. What is no tool with a name is left out. Linear in the text's length. */
export function readToolList(text: string, result: Span): ListedTool[] {
  const tools: ListedTool[] = [];
  const list = membersOf(text, result)['tools'];
  if (list === undefined || text.charCodeAt(list.start) !== OPEN_BRACKET) return tools;
  walkArray(text, list.start, (start) => {
    const span = { start, end: skipValue(text, start) };
    const members = membersOf(text, span);
    const name = stringAt(text, members['name']);
    if (name !== undefined) tools.push({ name, span, members });
    return span.end;
  });
  return tools;
}

/** What an entry says about paying, or undefined where it says nothing. */
export function listingOf(text: string, { members }: ListedTool): ToolListing | undefined {
  const listing = new Map<string, Json>();
  for (const key of ['payment', '_meta', 'annotations']) {
    const span = members[key];
    const value = span && (key === 'payment' || PRICED.test(textAt(text, span))) ? valueAt(text, span) : undefined;
    if (value !== undefined) listing.set(key, value);
  }
  const schema = members['inputSchema'];
  const properties = schema && membersOf(text, schema)['properties'];
  const own = properties && membersOf(text, properties);
  const paying = PAYMENT_ARGUMENTS.flatMap((name): [string, Json][] => {
    const value = own?.[name] && valueAt(text, own[name]);
    return value === undefined ? [] : [[name, value]];
  });
  if (paying.length > 0) listing.set('inputSchema', new Map<string, Json>([['properties', new Map(paying)]]));
  return listing.size === 0 ? undefined : listing;
}

/** What an agent is shown of a tool otherwise than its server wrote it (I8's closed list): the cost, and no payment arguments. */
export function toolEdits(text: string, tool: ListedTool, { cost, hidden }: { readonly cost: string; readonly hidden: readonly string[] }): Edit[] {
  return [...(cost === '' ? [] : costEdits(text, tool, cost)), ...(hidden.length === 0 ? [] : hidingEdits(text, tool, new Set(hidden)))];
}

function costEdits(text: string, { span, members }: ListedTool, cost: string): Edit[] {
  const { description } = members;
  if (description === undefined) return [{ start: span.end - 1, end: span.end - 1, text: `,"description":${JSON.stringify(cost)}` }];
  const words = stringAt(text, description);
  if (words === undefined || words.endsWith(cost)) return [];
  const at = description.end - 1;
  return [{ start: at, end: at, text: JSON.stringify(words === '' ? cost : ` ${cost}`).slice(1, -1) }];
}

function hidingEdits(text: string, { members }: ListedTool, names: ReadonlySet<string>): Edit[] {
  const schema = members['inputSchema'] && membersOf(text, members['inputSchema']);
  const properties = schema?.['properties'];
  const required = schema?.['required'];
  return [
    ...(properties !== undefined && text.charCodeAt(properties.start) === OPEN_BRACE ? cutMembers(text, properties, names) : []),
    ...(required !== undefined && text.charCodeAt(required.start) === OPEN_BRACKET ? cutStrings(text, required, names) : []),
  ];
}

/** Members of an object by key, of a repeated one the last; none where the value is no object. */
function membersOf(text: string, span: Span): Partial<Record<string, Span>> {
  const members: Partial<Record<string, Span>> = Object.create(null) as Partial<Record<string, Span>>;
  if (text.charCodeAt(span.start) !== OPEN_BRACE) return members;
  walkObject(text, span.start, (key, _keyStart, start) => {
    const end = skipValue(text, start);
    members[key] = { start, end };
    return end;
  });
  return members;
}

/** Undefined where a strict reader refuses it: then it tells no price. */
function valueAt(text: string, span: Span): Json | undefined {
  if (span.end - span.start > MAX_MEMBER_CHARACTERS) return undefined;
  try {
    return parseJson(textAt(text, span));
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}
