import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StripeIntent {
  id: string;
  client_secret: string;
  amount: number;
  currency: string;
  capture_method: string;
  status: 'requires_payment_method' | 'requires_confirmation' | 'requires_action' | 'processing' | 'requires_capture' | 'canceled' | 'succeeded';
  last_payment_error: { code: string; message: string } | null;
  confirmation_method?: string;
  customer?: string | null;
  setup_future_usage?: string | null;
  payment_method_options?: object;
  amount_details?: object;
  off_session?: boolean;
}

export type StripeFault = 'confirm-then-500' | 'confirm-then-hang' | '500' | 'redirect' | 'raise-after-retrieve' | 'confirm-in-flight' | 'confirm-not-arrived';

/** Stripe's API as far as a payer meets it, on a real socket: retrieve and confirm with a publishable key; the seller's side by functions. */
export interface StripeServer {
  readonly url: string;
  /** Method and path of every request. */
  readonly asked: string[];
  fault: StripeFault | undefined;
  /** A new PaymentIntent, as a seller makes it. */
  create(intent?: Partial<StripeIntent>): StripeIntent;
  capture(id: string): void;
  cancel(id: string): void;
  /** Lets the confirmations take effect that are in flight. */
  land(): void;
  close(): Promise<void>;
}

export const PUBLISHABLE_KEY = 'pk_test_51Bursar';
/** Payment methods by what the card does; any other is declined. */
export const CARD = 'pm_card_visa';
export const CARD_WITH_ACTION = 'pm_card_authenticationRequired';

const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation'];

export async function startStripeServer(): Promise<StripeServer> {
  const intents = new Map<string, StripeIntent>();
  const asked: string[] = [];
  /** Answers of confirmations by their idempotency key: Stripe repeats them. */
  const answered = new Map<string, { readonly status: number; readonly body: string }>();
  const inFlight = new Map<string, () => void>();
  let count = 0;

  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stripe');
    asked.push(`${request.method} ${url.pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(request.method === 'POST' ? Buffer.concat(chunks).toString('utf8') : url.search);
    const send = (status: number, body: object) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const error = (status: number, type: string, code: string, message: string) => send(status, { error: { type, code, message } });
    const { fault } = stripe;
    if (fault === '500') return error(500, 'api_error', '', 'Something went wrong.');
    if (fault === 'redirect') return void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
    if (request.headers.authorization !== `Bearer ${PUBLISHABLE_KEY}`) return error(401, 'invalid_request_error', 'api_key_invalid', 'Invalid API Key provided.');

    const [, id = '', action] = /^\/v1\/payment_intents\/([^/]+)(\/confirm)?$/.exec(url.pathname) ?? [];
    const intent = intents.get(id);
    if (!intent) return error(404, 'invalid_request_error', 'resource_missing', `No such payment_intent: '${id}'`);
    if (form.get('client_secret') !== intent.client_secret) return error(401, 'invalid_request_error', 'secret_key_required', 'The client_secret provided does not match.');
    if (action === undefined && request.method === 'GET') {
      send(200, intent);
      if (fault === 'raise-after-retrieve') intent.amount += 1;
      return;
    }
    if (action === undefined || request.method !== 'POST') return error(405, 'invalid_request_error', '', 'Method not allowed.');
    const key = String(request.headers['idempotency-key'] ?? '');
    if (inFlight.has(key)) return error(409, 'idempotency_error', 'idempotency_key_in_use', 'There is currently another in-progress request using this Idempotent Key.');
    const known = answered.get(key);
    if (known) return void response.writeHead(known.status, { 'content-type': 'application/json', 'idempotent-replayed': 'true' }).end(known.body);
    if (fault === 'confirm-not-arrived') return error(503, 'api_error', '', 'A proxy gave up.');
    if (inFlight.size > 0) return error(409, 'invalid_request_error', 'lock_timeout', 'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.');
    if (!CONFIRMABLE.includes(intent.status)) return error(400, 'invalid_request_error', 'payment_intent_unexpected_state', `This PaymentIntent is ${intent.status}.`);
    const run = (): { status: number; body: object } => {
      const method = form.get('payment_method');
      if (method === CARD) intent.status = intent.capture_method === 'manual' ? 'requires_capture' : 'succeeded';
      else if (method === CARD_WITH_ACTION) intent.status = 'requires_action';
      else {
        intent.status = 'requires_payment_method';
        intent.last_payment_error = { code: 'card_declined', message: 'Your card was declined.' };
        return { status: 402, body: { error: { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' } } };
      }
      return { status: 200, body: intent };
    };
    const end = () => {
      const { status, body } = run();
      if (key) answered.set(key, { status, body: JSON.stringify(body) });
      return { status, body };
    };
    if (fault === 'confirm-in-flight') return void inFlight.set(key, end);
    const { status, body } = end();
    if (fault === 'confirm-then-hang') return;
    if (fault === 'confirm-then-500') return error(500, 'api_error', '', 'Something went wrong.');
    send(status, body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stripe: StripeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fault: undefined,
    create(intent = {}) {
      count += 1;
      const id = `pi_${count}`;
      const made: StripeIntent = { id, client_secret: `${id}_secret_x`, amount: 150, currency: 'usd', capture_method: 'manual', status: 'requires_payment_method', last_payment_error: null, ...intent };
      intents.set(id, made);
      return made;
    },
    capture: (id) => void (intents.get(id)!.status = 'succeeded'),
    cancel: (id) => void (intents.get(id)!.status = 'canceled'),
    land() {
      for (const end of inFlight.values()) end();
      inFlight.clear();
    },
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
  return stripe;
}
