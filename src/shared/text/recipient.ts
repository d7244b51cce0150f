import { BursarError } from '../errors/errors.ts';

/** One address and nothing else: no name, no list, no line break that would begin a header of its own (RFC 5321, 4.5.3.1 for the lengths). */
const EMAIL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;
const PHONE = /^\+[1-9]\d{6,14}$/;

/** An e-mail address, its domain in lower case. Throws `RECIPIENT_INVALID`. */
export function checkEmail(text: string): string {
  const given = text.trim();
  const at = given.lastIndexOf('@');
  if (given.length > 254 || at > 64 || !EMAIL.test(given)) throw invalid(given, 'is no e-mail address such as ada@example.org');
  return given.slice(0, at) + given.slice(at).toLowerCase();
}

/** A phone number with its country code (E.164); spaces, dots, hyphens and brackets are left out. Throws `RECIPIENT_INVALID`. */
export function checkPhone(text: string): string {
  const given = text.trim();
  const number = given.replace(/[ .()-]/g, '');
  if (!number.startsWith('+')) throw invalid(given, 'is no phone number with its country code, such as +49 151 23456789');
  if (!PHONE.test(number)) throw invalid(given, 'is no phone number: after + come 7 to 15 digits, the first of them not 0');
  return number;
}

const invalid = (given: string, why: string) => new BursarError('RECIPIENT_INVALID', `${JSON.stringify(given.slice(0, 80))} ${why}.`);
