import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';

const verifySchema = z.looseObject({ isValid: z.boolean(), invalidReason: z.string().optional(), payer: z.string().optional() });
const settleSchema = z.looseObject({
  success: z.boolean(),
  errorReason: z.string().optional(),
  transaction: z.string(),
  network: z.string(),
  payer: z.string().optional(),
});
const supportedSchema = z.looseObject({
  kinds: z.array(z.looseObject({ x402Version: z.number(), scheme: z.string(), network: z.string(), extra: z.looseObject({}).optional() })),
});

/** The answer of `POST /verify`. */
export type VerifyResponse = z.infer<typeof verifySchema>;
/** The answer of `POST /settle`. */
export type SettleResponse = z.infer<typeof settleSchema>;
/** The answer of `GET /supported`. */
export type Supported = z.infer<typeof supportedSchema>;

/** The seller's side of the facilitator API, for payments of either version of x402. Every call throws `SETTLEMENT_FAILED` when no proper answer comes. */
export interface FacilitatorClient {
  supported(): Promise<Supported>;
  verify(payment: object, offer: object): Promise<VerifyResponse>;
  settle(payment: object, offer: object): Promise<SettleResponse>;
}

/** A client of the facilitator at `url`; a call that takes longer than `timeoutMs` fails. */
export function facilitatorClient(url: string, timeoutMs: number): FacilitatorClient {
  const failed = (path: string, why: string, cause?: unknown) =>
    new BursarError('SETTLEMENT_FAILED', `The facilitator's /${path} ${why}.`, { context: { facilitator: url }, cause });

  async function call<T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    const init = body ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {};
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}/${path}`, { ...init, signal });
      text = await response.text();
    } catch (cause) {
      throw failed(path, signal.aborted ? `gave no answer within ${timeoutMs} ms` : 'cannot be reached', cause);
    }
    if (!response.ok) throw failed(path, `answered ${response.status}`);
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      throw failed(path, 'gave an answer that cannot be read', cause);
    }
  }

  return {
    supported: () => call('supported', supportedSchema),
    verify: (payment, offer) => call('verify', verifySchema, request(payment, offer)),
    settle: (payment, offer) => call('settle', settleSchema, request(payment, offer)),
  };
}

const request = (paymentPayload: object, paymentRequirements: object) => ({
  x402Version: 'x402Version' in paymentPayload && paymentPayload.x402Version === 1 ? 1 : 2,
  paymentPayload,
  paymentRequirements,
});
