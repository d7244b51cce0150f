import { BursarError } from '../../shared/errors/errors.ts';
import { baseUnits, parseBaseUnits, type BaseUnits } from '../../shared/money/money.ts';
import { isObject, member, parseJson, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import type { NetworkId } from '../registry/networks.ts';
import { textOf } from './answer.ts';
import type { Challenge, Dialect, Offer, OrderFacts } from './dialect.ts';

/** The dialect of what Bursar's own tools, and its owner, order to be sent. */
export const ORDER = 'order';

/** Where a proof says which transaction it is. */
const TRANSACTION = 'bursar/transaction';
/** The transfer is the wallet's own and certain before the order is answered; nobody gives it a time. */
const TIMEOUT_S = 600;

/** One way to carry out an order. */
export interface OrderOffer {
  /** `transfer` without it. */
  readonly scheme?: string;
  readonly network: NetworkId;
  /** As the registry writes it, or the network's coin. */
  readonly asset: string;
  /** Base units, digits only. */
  readonly amount: string;
  readonly payee: string;
  /** Base units of the network's coin that the payee is given beside it, digits only: an escrow pays from it what its recipient has no coin for. */
  readonly reserve?: string;
}

/** What is to be sent, and for whom. */
export interface Order extends OrderFacts {
  /** The sender's own words, which stay in the ledger; with a link the recipient reads them too. */
  readonly memo: string;
  readonly offers: readonly OrderOffer[];
}

/** Every order of this process. What came from anywhere else is none, however it looks. */
const written = new WeakSet<JsonObject>();
const offersWritten = new WeakSet<JsonObject>();

/** Writes an order in the place of a challenge. Nothing else can: an object that was not made here asks for nothing. */
export function writeOrder({ recipient, known, byOwner, warnings, payer, byLink = false, memo, offers }: Order): JsonObject {
  const ways = offers.map((offer): JsonObject => new Map(Object.entries({ ...offer, scheme: offer.scheme ?? 'transfer' })));
  for (const way of ways) offersWritten.add(way);
  const order = new Map<string, Json>([
    ['order', '1'],
    ['recipient', recipient],
    ['known', known],
    ['byOwner', byOwner],
    ['warnings', warnings],
    ...(payer === undefined ? [] : [['payer', payer] as const]),
    ...(byLink ? [['byLink', true] as const] : []),
    ['memo', memo],
    ['offers', ways],
  ]);
  written.add(order);
  return order;
}

/**
 * Bursar's own orders. They play the challenge, so that a send goes the road of every payment: intent, policy, approval, signature, journal,
 * chain. No answer from a network leads here, for the dialect reads nothing but the member that `writeOrder` fills.
 */
export const order: Dialect = {
  id: ORDER,
  resendable: true,

  detect({ order: source }) {
    if (!source || !written.has(source)) return undefined;
    const offers = source.get('offers');
    return {
      dialect: ORDER,
      offers: Array.isArray(offers) ? (offers as readonly Json[]).map(offerOf) : [],
      unreadable: [],
      resource: '',
      description: textOf(source.get('memo')),
      error: '',
      textOnly: false,
      order: orderFacts(source),
      source,
    } satisfies Challenge;
  },

  /** Nobody is given a proof: the transaction is what the order's answer names. */
  attach(_challenge, _offer, payloadText) {
    const transaction = member(parseJson(payloadText), 'signature');
    if (typeof transaction !== 'string') throw new BursarError('INTERNAL', 'The proof of a send names no transaction.');
    return { meta: { [TRANSACTION]: stringifyJson(transaction) } };
  },

  readAnswer(reading) {
    const result = reading.rpc?.get('result');
    const transaction = textOf(member(result, 'transaction'));
    if (transaction === '') return { kind: 'failed', message: 'The order was not answered.' };
    return { kind: 'served', receipt: { success: true, transaction, network: '', source: result ?? null } };
  },
};

/** What an order's payee is given of the network's coin, beside the amount. No other offer has such a thing. */
export function reserveOf({ source, extra }: Offer): BaseUnits {
  const reserve = isObject(source) && offersWritten.has(source) ? extra.get('reserve') : undefined;
  return typeof reserve === 'string' ? parseBaseUnits(reserve) : baseUnits(0n);
}

/** The answer to an order whose money has moved, as {@link order} reads it. */
export const orderAnswer = (meta: Readonly<Record<string, string>> = {}): string => `{"jsonrpc":"2.0","id":0,"result":{"transaction":${meta[TRANSACTION] ?? '""'}}}`;

/** The facts of an order, from the order or from the text of it in the journal. */
export const orderFacts = (source: JsonObject): OrderFacts => {
  const warnings = source.get('warnings');
  const payer = textOf(source.get('payer'));
  return {
    recipient: textOf(source.get('recipient')),
    known: source.get('known') === true,
    byOwner: source.get('byOwner') === true,
    warnings: Array.isArray(warnings) ? (warnings as readonly Json[]).map(textOf) : [],
    ...(payer !== '' && { payer }),
    ...(source.get('byLink') === true && { byLink: true }),
  };
};

/** What the journal holds of an order: its facts and the memo. Undefined where the payment was none. */
export function orderOfRow({ dialect, challengeText }: { readonly dialect: string; readonly challengeText: string }): (OrderFacts & { readonly memo: string }) | undefined {
  const source = dialect === ORDER && challengeText !== '' ? parseJson(challengeText) : undefined;
  return isObject(source) ? { ...orderFacts(source), memo: textOf(source.get('memo')) } : undefined;
}

function offerOf(source: Json): Offer {
  const text = (name: string): string => textOf(member(source, name));
  return {
    scheme: text('scheme'),
    network: text('network') as NetworkId,
    asset: text('asset'),
    amount: text('amount'),
    payee: text('payee'),
    maxTimeoutSeconds: TIMEOUT_S,
    x402Version: 1,
    paymentFlow: 'authorization',
    extra: new Map(text('reserve') === '' ? [] : [['reserve', text('reserve')]]),
    source,
  };
}
