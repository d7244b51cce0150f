import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { parseUnits } from '../../shared/money/money.ts';
import { isObject, member, parseJson, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import { ASSETS, findAsset } from '../registry/assets.ts';
import { NETWORKS, type NetworkId } from '../registry/networks.ts';
import { textOf, type Reading } from './answer.ts';
import type { Challenge, Dialect, Offer, PaidAnswer } from './dialect.ts';
import { decimalText } from './prices.ts';
import { complaint, toolError } from './tool-result.ts';

const ARGUMENT = '_payment';
const PAYMENT_REQUIRED = -32001;
const INVALID_PAYMENT = -32002;
const UNITS = /^(?:0|[1-9]\d{0,77})$/;
/** The words of such an error where its data is lost, whole: a tool that fails may begin its own words like that. */
const ASKS = /^payment required(?: for this tool)?[.!]?$/i;
const FLATTENED = /^(?:MCP error (-\d{1,9}): )?([^]*)$/;
/** The transfer is the wallet's own and confirmed before the retry; the server gives no time for it. */
const TIMEOUT_S = 600;

/**
 * Payment by one's own transfer on Solana, proved by its signature in an argument (wire-formats section 4). The code -32001 is also the
 * SDK's request timeout and "session not found", so it counts only with payment terms beside it.
 */
export const transferProof: Dialect = {
  id: 'transfer-proof',
  resendable: true,

  detect(reading) {
    const terms = termsOf(reading);
    if (!terms) return undefined;
    const offer = readOffer(terms);
    if (typeof offer === 'string') throw new BursarError('CHALLENGE_MALFORMED', `The payment request ${offer}.`);
    return {
      dialect: 'transfer-proof',
      offers: [offer],
      unreadable: [],
      resource: '',
      description: textOf(terms.source.get('description')),
      error: complaint(reading.rpc),
      textOnly: terms.textOnly,
      source: terms.source,
    } satisfies Challenge;
  },

  attach(_challenge, _offer, payloadText) {
    const proof = parseJson(payloadText);
    const members = ['signature', 'timestamp', 'amount', 'from'].map((key): [string, Json | undefined] => [key, member(proof, key)]);
    if (members.some(([, value]) => typeof value !== 'string')) throw new BursarError('INTERNAL', 'The proof is no transfer with signature, timestamp, amount and from.');
    return { arguments: { [ARGUMENT]: stringifyJson(new Map(members.map(([key, value]) => [key, value ?? null]))) } };
  },

  readAnswer(reading): PaidAnswer {
    const words = complaint(reading.rpc);
    const { code, message } = codeOf(reading);
    const isRejected = code === INVALID_PAYMENT || ((code === PAYMENT_REQUIRED || (code === undefined && toolError(reading.rpc))) && /^payment required/i.test(message));
    if (isRejected || member(member(reading.rpc?.get('error'), 'data'), 'paymentRequirements') !== undefined) {
      return { kind: 'refused', message: textOf(member(member(reading.rpc?.get('error'), 'data'), 'reason')) || words, settlementFailed: false };
    }
    if (toolError(reading.rpc) || !reading.rpc?.has('result')) return { kind: 'failed', message: words };
    return { kind: 'served' };
  },
};

/** Where the terms stand: in the error itself, or, where that lost its data, in what `tools/list` says of the tool. */
interface Terms {
  readonly source: JsonObject;
  /** A listed price is a decimal in the token; one of a challenge is in base units. */
  readonly listed: boolean;
  /** The demand stood in a text of a tool, which a fetched page could have written too. */
  readonly textOnly: boolean;
}

function termsOf(reading: Reading): Terms | undefined {
  const { code, message } = codeOf(reading);
  const isError = reading.rpc?.has('error') === true;
  if (isError && code !== PAYMENT_REQUIRED) return undefined;
  const requirements = member(member(reading.rpc?.get('error'), 'data'), 'paymentRequirements');
  if (isObject(requirements)) return { source: requirements, listed: false, textOnly: false };

  const payment = reading.listing?.get('payment');
  const isDemand = (isError || toolError(reading.rpc) !== undefined) && (code === undefined || code === PAYMENT_REQUIRED) && ASKS.test(message.trim());
  return isDemand && isObject(payment) && payment.get('required') === true ? { source: payment, listed: true, textOnly: !isError } : undefined;
}

/** Code and message of the error, also of one that a server has flattened into text. */
function codeOf(reading: Reading): { code: number | undefined; message: string } {
  const words = complaint(reading.rpc);
  const code = member(reading.rpc?.get('error'), 'code');
  if (typeof code === 'number') return { code, message: words };
  const [, written, message = ''] = FLATTENED.exec(words) ?? [];
  return { code: written === undefined ? undefined : Number(written), message };
}

/** Never assumes a mint or a payee that the server did not name. Or why the terms cannot be read. */
function readOffer({ source, listed }: Terms): Offer | string {
  const price = source.get('price');
  const payee = source.get('recipient');
  const mint = member(member(price, 'asset'), 'address') ?? member(source.get('asset'), 'address') ?? source.get('asset');
  if (typeof payee !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(payee)) return 'names no recipient';
  if (typeof mint !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(mint)) return 'names no token by its address';
  const network = networkOf(source.get('network'), mint);
  if (network === undefined) return 'names no network that has this token';
  const amount = isObject(price) ? price.get('amount') : listed ? listedUnits(price, network, mint) : undefined;
  if (typeof amount !== 'string' || !UNITS.test(amount)) return 'has an amount that is not a whole number of base units in a string';
  if (amount === '0') return 'asks for nothing';
  const currency = source.get('currency');
  const known = findAsset(network, mint);
  if (known && currency !== undefined && currency !== known.symbol) return `calls the token ${textOf(currency).slice(0, 20) || 'by no name'}, and it is ${known.symbol}`;
  return {
    scheme: 'transfer',
    network,
    asset: mint,
    amount,
    payee,
    maxTimeoutSeconds: TIMEOUT_S,
    x402Version: 1,
    paymentFlow: 'authorization',
    extra: new Map(),
    source,
  };
}

/** The Solana network that the server names; without a name, the only one whose registry has this mint. */
function networkOf(named: Json | undefined, mint: string): NetworkId | undefined {
  if (named !== undefined) return NETWORKS.find(({ id, v1Name, namespace }) => namespace === 'solana' && (named === id || named === v1Name))?.id;
  const [only, ...others] = ASSETS.filter(({ network, address }) => network.startsWith('solana:') && address === mint);
  return others.length === 0 ? only?.network : undefined;
}

function listedUnits(price: Json | undefined, network: NetworkId, mint: string): string | undefined {
  const asset = findAsset(network, mint);
  const text = decimalText(price);
  if (!asset || text === undefined) return undefined;
  try {
    return parseUnits(text, asset.decimals).toString();
  } catch (error) {
    if (isBursarError(error, 'AMOUNT_INVALID')) return undefined;
    throw error;
  }
}
