import { OWN_NAME } from '../../shared/text/own-name.ts';

/** A name for a server behind Bursar that is made of a stranger's text and not taken. */
export function freeName(text: string, isTaken: (name: string) => boolean): string {
  const base = text.toLowerCase().replace(/[^a-z0-9_-]+/g, '-').replace(/^[^a-z0-9]+/, '').slice(0, 28).replace(/-+$/, '') || 'server';
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? base : `${base}-${number}`;
    if (candidate !== OWN_NAME && !isTaken(candidate)) return candidate;
  }
}
