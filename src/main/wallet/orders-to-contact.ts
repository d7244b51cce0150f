import type { Intent } from '../../core/payments/intent.ts';
import { member, parseJson } from '../../core/json/json.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';

/** How an order names the contact that it pays. */
export const contactWords = ({ number, name }: { readonly number: number; readonly name: string }): string => `contact ${number} (${name})`;

/** True for an order that was written when this contact stood for what it pays: by its number, or because the owner had its address among theirs. */
export function isToContact({ call: { upstream, argumentsText }, challenge: { order } }: Pick<Intent, 'call' | 'challenge'>, number: number): boolean {
  if (upstream !== OWN_NAME || !order) return false;
  if (order.known && order.recipient.startsWith(contactWords({ number, name: '' }).slice(0, -1))) return true;
  return member(parseJson(argumentsText), 'contact_number') === number;
}
