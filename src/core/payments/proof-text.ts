import { BursarError } from '../../shared/errors/errors.ts';
import type { RetryEdit } from '../challenges/answer.ts';
import { isObject, parseJson, stringifyJson, type Json } from '../json/json.ts';

/** What a paid retry carries as one JSON text: `{"meta":{…},"arguments":{…},"headers":{…}}`, as the journal keeps it (I4). */
export function proofText({ meta, arguments: args, headers }: RetryEdit): string {
  const raw = (members: Readonly<Record<string, string>> = {}) => Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  const quoted = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, JSON.stringify(value)]));
  return `{"meta":{${raw(meta).join(',')}},"arguments":{${raw(args).join(',')}},"headers":{${raw(quoted).join(',')}}}`;
}

/** The retry of a {@link proofText}. Throws `INTERNAL` for a text that it did not write. */
export function retryOfProof(text: string): RetryEdit {
  const proof = parseJson(text);
  if (!isObject(proof)) throw new BursarError('INTERNAL', 'The proof in the journal cannot be read.');
  const members = (name: string, write: (value: Json) => string): Record<string, string> => {
    const group = proof.get(name);
    return isObject(group) ? Object.fromEntries([...group].map(([key, value]) => [key, write(value)])) : {};
  };
  return { meta: members('meta', stringifyJson), arguments: members('arguments', stringifyJson), headers: members('headers', String) };
}
