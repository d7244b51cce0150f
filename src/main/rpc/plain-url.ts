/** `scheme://user@host`, where a host may hold letters that look like others. */
const AUTHORITY = /^(https?:\/\/)([^/?#\\]*)/i;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * A web address whose host is written in plain letters: what it spells in others is shown as it is looked up (`xn--…`, RFC 3492), so that a
 * Cyrillic а does not pass for a Latin a. What is no web address, or has a plain host, stays as it is.
 */
export function plainUrl(text: string): string {
  const host = AUTHORITY.exec(text)?.[2];
  if (host === undefined || ASCII.test(host)) return text;
  return URL.canParse(text) ? new URL(text).href : text;
}
