import { z } from 'zod';
import type { ClientPreview } from '../../shared/contract/clients.ts';
import { documentOfEntries, serversIn } from './config-text.ts';
import type { ConfigShape } from './formats/config-format.ts';
import { shownAddress, shownArguments } from './foreign-server.ts';
import type { FilePreview } from './registration.ts';

const Entry = z.looseObject({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.url().optional(),
  httpUrl: z.url().optional(),
  serverUrl: z.url().optional(),
  env: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  http_headers: z.record(z.string(), z.unknown()).optional(),
});

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

const hidden = (values: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.keys(values).map((name) => [name, '(hidden)']));
const address = (url: string): string => shownAddress({ kind: 'http', url, headers: {} });

function masked(entry: unknown): unknown {
  const parsed = Entry.safeParse(entry);
  if (!parsed.success) return { unreadable: true };
  const shownMembers = Object.entries(parsed.data).map(([member, value]) => {
    if (value === undefined) return [];
    if (member === 'args') return [[member, shownArguments(parsed.data.args ?? [])]];
    if (['env', 'headers', 'http_headers'].includes(member)) return [[member, hidden(z.record(z.string(), z.unknown()).parse(value))]];
    if (['url', 'httpUrl', 'serverUrl'].includes(member)) return [[member, address(String(value))]];
    return [[member, ['command', 'type', 'source'].includes(member) || typeof value !== 'string' && typeof value !== 'object' ? value : '(hidden)']];
  });
  return Object.fromEntries(shownMembers.flat()) as unknown;
}
