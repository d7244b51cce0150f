import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { PastedServer } from '../../shared/contract/upstream-state.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Connection } from './connection.ts';

export interface PasteOptions {
  readonly paste: string;
  /** Only this one, as it is called in the text or would be called here; all that can be added without it. */
  readonly name: string | undefined;
  /** Adds nothing. */
  readonly onlyPreview: boolean;
}

/** Adds the servers of a client's text; says first on standard error what each of them is. */
export async function addPasted({ request }: Connection, { paste, name, onlyPreview }: PasteOptions): Promise<{ readonly value: unknown; readonly lines: readonly string[] }> {
  const content = await contentOf(paste);
  const { servers } = await request('upstreams.readPaste', { text: content });
  const wanted = name === undefined ? servers : servers.filter((server) => server.entry === name || server.name === name);
  if (wanted.length === 0) throw new BursarError('INPUT_INVALID', `The text has no server ${JSON.stringify(name)}.`, { hint: `It has: ${servers.map((server) => server.entry || server.name).join(', ')}` });
  const lines = wanted.flatMap(pastedLines);
  if (onlyPreview) return { value: { servers: wanted }, lines };
  const fit = wanted.filter(({ problem, known }) => problem === undefined && known === undefined);
  if (fit.length === 0) throw new BursarError('INPUT_INVALID', 'Nothing of the text can be added.', { hint: lines.map((line) => line.trim()).join(' ') });
  const { added } = await request('upstreams.addPasted', { text: content, add: fit.map((server) => ({ entry: server.entry, name: server.name })) });
  return { value: { added }, lines: [...lines, '', ...added.map((server) => `Added ${server.name}.`)] };
}

const pastedLines = ({ entry, name, words, secrets, problem, warnings, known }: PastedServer): readonly string[] => [
  entry === '' ? name : `${entry} → ${name}`,
  ...(words.length === 0 ? [] : [`  ${words.map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')}`]),
  ...(secrets.length === 0 ? [] : [`  with secrets: ${secrets.join(', ')}`]),
  ...warnings.map((warning) => `  ${warning}`),
  ...(known === undefined ? [] : [`  Bursar has it already, as ${known}.`]),
  ...(problem === undefined ? [] : [`  ${problem}`]),
];

async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (cause) {
    throw new BursarError('INPUT_INVALID', `The file ${file} cannot be read.`, { hint: 'Give the path of a file, or - for standard input.', cause });
  }
}
