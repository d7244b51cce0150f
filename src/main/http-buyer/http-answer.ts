import { TextDecoder } from 'node:util';
import { textOf, type HttpFacts } from '../../core/challenges/answer.ts';
import { isObject, parseJson } from '../../core/json/json.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/** An HTTP answer as it is handed over and kept: JSON, and binary bodies survive. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
}

/** What came over the wire, decompressed. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** So much of a body is looked at for payment terms (characters). */
const MAX_TERMS_CHARACTERS = 1024 * 1024;

/** An answer with its body as text where it is UTF-8, else as base64. */
export function httpAnswerOf({ status, headers, body }: RawAnswer): HttpAnswer {
  const text = utf8(body);
  const joined = Object.entries(headers).flatMap(([name, values]) => (values ? [[name, values.join(', ')] as const] : []));
  return { status, headers: Object.fromEntries(joined), ...(text === undefined ? { body: Buffer.from(body).toString('base64'), encoding: 'base64' } : { body: text, encoding: 'utf8' }) };
}

/** What dialects read of an answer. */
export const httpFactsOf = ({ status, headers, body }: RawAnswer): HttpFacts => ({ status, headers, body: (utf8(body) ?? '').slice(0, MAX_TERMS_CHARACTERS) });

/** The journal's text of an answer. */
export const textOfHttpAnswer = ({ status, headers, body, encoding }: HttpAnswer): string => JSON.stringify({ status, headers, body, encoding });

/** Reads what {@link textOfHttpAnswer} wrote. Throws `DATABASE_CORRUPT`. */
export function httpAnswerOfText(text: string): HttpAnswer {
  const value = parseJson(text);
  const status = isObject(value) ? value.get('status') : undefined;
  const headers = isObject(value) ? value.get('headers') : undefined;
  const body = isObject(value) ? value.get('body') : undefined;
  const encoding = isObject(value) ? value.get('encoding') : undefined;
  if (typeof status !== 'number' || !isObject(headers) || typeof body !== 'string' || (encoding !== 'utf8' && encoding !== 'base64')) {
    throw new BursarError('DATABASE_CORRUPT', 'The kept answer of a paid HTTP call cannot be read.');
  }
  return { status, headers: Object.fromEntries([...headers].map(([name, item]) => [name, textOf(item)])), body, encoding };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
