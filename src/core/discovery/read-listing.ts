import { MAX_BASE_UNITS } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { NETWORKS } from '../registry/networks.ts';
import { readInput } from './endpoint-input.ts';
import type { Listing, ListedPrice } from './listing.ts';
import { firstOf, isPlainObject, isShallow, own, textIn } from './plain-json.ts';

const MAX_DEPTH = 40;
const MAX_URL_CHARACTERS = 2_048;
const MAX_DESCRIPTION_CHARACTERS = 1_000;
const MAX_NAME_CHARACTERS = 80;
const MOST_TAGS = 10;
const MOST_PRICES = 16;
const UNITS = /^(?:0|[1-9]\d{0,77})$/;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Below it a number counts seconds; above, milliseconds. The year 5138 in the one, 1973 in the other. */
const FIRST_MILLISECONDS = 100_000_000_000;
const MAX_MILLISECONDS = 8_640_000_000_000_000;

/** One entry of a list; undefined for what is no HTTP endpoint that can be paid, or cannot be read. Never throws. */
export function readListing(entry: unknown): Listing | undefined {
  if (!isPlainObject(entry) || !isShallow(entry, MAX_DEPTH)) return undefined;
  const type = own(entry, 'type');
  if (type !== undefined && type !== 'http') return undefined;
  const accepts = own(entry, 'accepts');
  const offers: readonly unknown[] = Array.isArray(accepts) ? accepts.slice(0, MOST_PRICES) : [];
  const resource = own(entry, 'resource');
  const address = readUrl(textIn(resource) || textIn(own(resource, 'url')) || textIn(own(entry, 'url')) || textIn(own(offers[0], 'resource')));
  if (address === undefined) return undefined;
  const prices = offers.flatMap((offer) => readPrice(offer) ?? []);
  if (prices.length === 0) return undefined;
  const { url, method, input } = readInput(entry, offers, address);
  if (!METHODS.has(method)) return undefined;

  const metadata = own(entry, 'metadata');
  const places = [entry, resource, metadata];
  const words = (keys: readonly string[], limit: number): string => cleanText(places.map((place) => textIn(firstOf(place, keys))).find((text) => text !== '') ?? '', limit);
  const tags = own(entry, 'tags') ?? own(resource, 'tags') ?? own(metadata, 'tags');
  const updatedAt = readTime(firstOf(entry, ['lastUpdated', 'last_updated', 'updatedAt']));
  return {
    url,
    method,
    name: words(['serviceName', 'name', 'title'], MAX_NAME_CHARACTERS).trim(),
    description: words(['description'], MAX_DESCRIPTION_CHARACTERS).trim() || cleanText(textIn(own(offers[0], 'description')), MAX_DESCRIPTION_CHARACTERS).trim(),
    tags: Array.isArray(tags) ? tags.flatMap((tag) => (typeof tag === 'string' && tag !== '' ? [cleanText(tag, 32)] : [])).slice(0, MOST_TAGS) : [],
    prices,
    ...(updatedAt !== undefined && { updatedAt }),
    input,
  };
}

function readUrl(text: string): string | undefined {
  // What could not be shown as it is could not be approved as it is.
  if (text === '' || text.length > MAX_URL_CHARACTERS || cleanText(text, MAX_URL_CHARACTERS) !== text) return undefined;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  const plain = url.href.replace(/#.*$/s, '');
  return plain.length > MAX_URL_CHARACTERS ? undefined : plain;
}

function readPrice(offer: unknown): ListedPrice | undefined {
  const amount = firstOf(offer, ['amount', 'maxAmountRequired']);
  const units = typeof amount === 'number' && Number.isSafeInteger(amount) ? String(amount) : textIn(amount);
  const scheme = textIn(own(offer, 'scheme'));
  const network = textIn(own(offer, 'network'));
  const asset = textIn(own(offer, 'asset')) || textIn(own(own(offer, 'asset'), 'address'));
  const payee = textIn(own(offer, 'payTo'));
  if (!UNITS.test(units) || BigInt(units) > MAX_BASE_UNITS || scheme === '' || network === '' || asset === '' || payee === '') return undefined;
  const price = { scheme, network: NETWORKS.find(({ v1Name }) => v1Name !== undefined && v1Name === network)?.id ?? network, asset, amount: units, payee };
  return Object.values(price).every((text) => text.length <= 128 && cleanText(text, 128) === text) ? price : undefined;
}

/** A moment as a number of seconds or milliseconds, as such a number in a text, or in ISO 8601 (ms). */
export function readTime(value: unknown): number | undefined {
  const text = textIn(value);
  const number = typeof value === 'number' ? value : /^\d{9,16}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  const at = number === undefined ? (text.length <= 40 ? Date.parse(text) : Number.NaN) : number < FIRST_MILLISECONDS ? number * 1000 : number;
  return Number.isFinite(at) && at > 0 && at <= MAX_MILLISECONDS ? Math.round(at) : undefined;
}
