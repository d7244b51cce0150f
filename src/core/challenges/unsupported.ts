import { stringifyJson } from '../json/json.ts';
import type { Offer } from './dialect.ts';

/** Payment schemes that Bursar knows by name and does not pay, with what they want of the payer. */
const SCHEMES: Readonly<Record<string, string>> = {
  upto: 'it would sign a maximum and leave the amount to the server',
  'auth-capture': 'it would lock the money in a contract that the server draws on later',
  authCapture: 'it would lock the money in a contract that the server draws on later',
  'batch-settlement': 'it would open a payment channel with a deposit',
  deferred: 'it would promise to pay later',
};

/** What a scheme wants of the payer that Bursar does not do, in words that follow "It wants". */
export const unpayableScheme = (scheme: string): string | undefined =>
  Object.hasOwn(SCHEMES, scheme) ? `the payment scheme "${scheme}", which this wallet does not pay: ${SCHEMES[scheme]}` : undefined;

/** What a token transfer may be authorized by, besides EIP-3009. */
const METHODS: Readonly<Record<string, string>> = {
  permit2: 'Permit2',
  erc7710: 'ERC-7710 delegation',
};

/**
 * Why no rail of Bursar can pay an offer, in words that follow "It wants" in a refusal, naming the scheme, the transfer method or the
 * payment flow. Undefined where nothing is known against it; whether there is a rail for its scheme is another question.
 */
export function unsupported(offer: Pick<Offer, 'scheme' | 'paymentFlow' | 'extra'>): string | undefined {
  const scheme = unpayableScheme(offer.scheme);
  if (scheme !== undefined) return scheme;

  const method = offer.extra.get('assetTransferMethod') ?? 'eip3009';
  if (method !== 'eip3009') {
    const name = typeof method === 'string' && Object.hasOwn(METHODS, method) ? METHODS[method] : stringifyJson(method).slice(0, 40);
    return `the token moved by ${name}, and this wallet signs transfers of the exact amount alone`;
  }

  switch (offer.paymentFlow) {
    case 'authorization':
    case 'upfront':
      return undefined;
    case 'escrow':
      return 'the payment flow "escrow", which puts the money where this wallet could not follow it';
    default:
      return `the payment flow "${offer.paymentFlow.slice(0, 40)}", which this wallet does not know`;
  }
}
