import { z } from 'zod';
import type { ClientPreview } from '../../shared/contract/clients.ts';
import { documentOfEntries, serversIn } from './config-text.ts';
import type { ConfigShape } from './formats/config-format.ts';
import { shownAddress, shownArguments } from './foreign-server.ts';
import type { FilePreview } from './registration.ts';

const Entry = z.record(z.string(), z.unknown());
const Texts = z.array(z.string());

/** Members whose texts are shown as they are. */
const OPEN: ReadonlySet<string> = new Set(['command', 'type', 'source']);
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'httpUrl', 'serverUrl']);
const HIDDEN = '(hidden)';

/**
 * The entries that a change concerns, before and after, without the values of variables and headers and other likely secrets. The rest of
 * the file does not change, and holds what the client's other servers are given: their keys are no business of a page (I6).
 */
export function previewView({ path, before, after, digest }: FilePreview, shape: ConfigShape, isConcerned: (name: string) => boolean): ClientPreview {
  const shown = (text: string): string => {
    const entries = Object.entries(serversIn(text, shape)).filter(([name]) => isConcerned(name));
    return entries.length === 0 ? '' : documentOfEntries(Object.fromEntries(entries.map(([name, entry]) => [name, masked(entry)])), shape).trimEnd();
  };
  return { path, before: shown(before), after: shown(after), changes: before !== after, digest };
}

function masked(entry: unknown): unknown {
  const parsed = Entry.safeParse(entry);
  return parsed.success ? Object.fromEntries(Object.entries(parsed.data).map(([member, value]) => [member, maskedMember(member, value)])) : HIDDEN;
}

function maskedMember(member: string, value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && OPEN.has(member))) return value;
  if (typeof value === 'string' && ADDRESSES.has(member) && URL.canParse(value)) return shownAddress({ kind: 'http', url: value, headers: {} });
  const words = member === 'args' ? Texts.safeParse(value) : undefined;
  if (words?.success) return shownArguments(words.data);
  const values = Entry.safeParse(value);
  return values.success ? Object.fromEntries(Object.keys(values.data).map((name) => [name, HIDDEN])) : HIDDEN;
}
