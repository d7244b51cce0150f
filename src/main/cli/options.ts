import { BursarError } from '../../shared/errors/errors.ts';

/*
 * What they refuse they do not repeat: it holds keys. So they throw errors of their own, as those of the argument parser quote the argument.
 */

/** Collects a repeatable option of the form NAME=VALUE. */
export function pair(value: string, before: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  if (at <= 0) throw new BursarError('INPUT_INVALID', 'A variable has to have the form NAME=VALUE.');
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}

/** What a header's name may consist of (RFC 9110, section 5.6.2), and either sign after it. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+)(?:=(.*)|:\s*(.*\S)\s*)$/s;

/** Collects a repeatable header: NAME=VALUE, or `NAME: VALUE` as curl has it. */
export function headerPair(value: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, afterEquals, afterColon] = HEADER.exec(value) ?? [];
  if (name === undefined) throw new BursarError('INPUT_INVALID', 'A header has to have the form NAME=VALUE or "NAME: VALUE".', { hint: 'Put quotes around it, so that it stays in one piece.' });
  return { ...before, [name]: afterEquals ?? afterColon ?? '' };
}
