import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readBody, sendJson, serveHttp, type HttpService } from '../http/http-service.ts';
import { CardError, createPaymentIntents, type PaymentIntent, type PaymentIntents } from './payment-intents.ts';

/** Keys of the sandbox's merchant. Anyone may know them: they move test money. */
export interface CardKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** The card service while it listens. */
export interface CardService extends HttpService {
  readonly intents: PaymentIntents;
}

/**
 * Serves payment intents as Stripe's API does (test mode, form bodies): create, retrieve, confirm, capture, cancel. A
 * publishable key may retrieve and confirm an intent whose client secret it gives, and sees less of it; a secret key may do all.
 */
export async function serveCards({ secretKey, publishableKey }: CardKeys): Promise<CardService> {
  const intents = createPaymentIntents(Date.now);
  const answered = new Map<string, PaymentIntent>();
  const service = await serveHttp(async (request, response) => {
    try {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const form = request.method === 'POST' ? new URLSearchParams(await readBody(request)) : url.searchParams;
      const key = keyOf(request, form);
      const secret = same(key, secretKey);
      if (!secret && !same(key, publishableKey)) throw new CardError(401, 'invalid_request_error', 'api_key_invalid', 'Invalid API Key provided.');
      const repeat = secret ? request.headers['idempotency-key'] : undefined;
      const known = typeof repeat === 'string' ? answered.get(repeat) : undefined;
      const intent = known ?? act(intents, request.method ?? 'GET', url.pathname, form, secret);
      if (typeof repeat === 'string') answered.set(repeat, intent);
      sendJson(response, 200, secret ? intent : publicView(intent));
    } catch (error) {
      if (!(error instanceof CardError)) throw error;
      sendJson(response, error.status, { error: { type: error.type, code: error.code, message: error.message } });
    }
  });
  return { ...service, intents };
}

function act(intents: PaymentIntents, method: string, path: string, form: URLSearchParams, secret: boolean): PaymentIntent {
  const [, version, resource, id, verb] = path.split('/');
  const unknown = new CardError(404, 'invalid_request_error', 'url_invalid', `Unrecognized request URL (${method}: ${path}).`);
  if (version !== 'v1' || resource !== 'payment_intents') throw unknown;
  if (id === undefined) {
    if (method !== 'POST' || !secret) throw unknown;
    return intents.create({
      amount: Number(form.get('amount') ?? ''),
      currency: form.get('currency') ?? '',
      manual: form.get('capture_method') === 'manual',
      description: form.get('description'),
    });
  }
  const intent = intents.get(id);
  if (!secret && !same(form.get('client_secret') ?? '', intent.client_secret)) {
    throw new CardError(400, 'invalid_request_error', 'client_secret_invalid', 'The client_secret provided does not match the PaymentIntent.');
  }
  if (method === 'GET' && verb === undefined) return intent;
  if (method === 'POST' && verb === 'confirm') return intents.confirm(id, form.get('payment_method') ?? '');
  if (method === 'POST' && verb === 'capture' && secret) return intents.capture(id);
  if (method === 'POST' && verb === 'cancel' && secret) return intents.cancel(id);
  throw unknown;
}

/** What a publishable key may see. */
function publicView({ amount_capturable: _capturable, amount_received: _received, ...intent }: PaymentIntent): object {
  return intent;
}

function keyOf({ headers }: IncomingMessage, form: URLSearchParams): string {
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ');
  if (/^bearer$/i.test(scheme)) return value;
  if (/^basic$/i.test(scheme)) return Buffer.from(value, 'base64').toString('utf8').split(':')[0] ?? '';
  return form.get('key') ?? '';
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
