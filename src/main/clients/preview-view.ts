import { z } from 'zod';
import { ownEntries } from './config-text.ts';
import type { RegistrationPreview } from './registration.ts';

/** A change to a client's file, as far as it may leave main. */
export interface PreviewView {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** False where the file would stay as it is. */
  readonly changes: boolean;
  readonly digest: string;
}

const Entry = z.looseObject({ env: z.record(z.string(), z.unknown()).optional(), headers: z.record(z.string(), z.unknown()).optional() });

/**
 * Bursar's own entries before and after, without the values of variables and headers. The rest of the file does not change, and holds what
 * the client's other servers are given: their keys are no business of a page (I6).
 */
export const previewView = ({ path, before, after, digest }: RegistrationPreview): PreviewView => ({ path, before: shown(before), after: shown(after), changes: before !== after, digest });

function shown(text: string): string {
  const entries = Object.entries(ownEntries(text)).map(([name, entry]) => [name, masked(entry)]);
  return entries.length === 0 ? '' : JSON.stringify({ mcpServers: Object.fromEntries(entries) as unknown }, null, 2);
}

function masked(entry: unknown): unknown {
  const parsed = Entry.safeParse(entry);
  if (!parsed.success) return '(not readable)';
  const { env, headers, ...rest } = parsed.data;
  return { ...rest, ...(env && { env: hidden(env) }), ...(headers && { headers: hidden(headers) }) };
}

const hidden = (values: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.keys(values).map((name) => [name, '(hidden)']));
