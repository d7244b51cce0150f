import type { ServerResponse } from 'node:http';
import type { x402Facilitator } from '@x402/core/facilitator';
import { z } from 'zod';
import { BursarError } from '../../shared/errors/errors.ts';
import { readJson, sendJson, serveHttp, type HttpService } from '../http/http-service.ts';
import type { FacilitatorFaults, FacilitatorStep } from './faults.ts';

type Payload = Parameters<x402Facilitator['verify']>[0];
type Requirements = Parameters<x402Facilitator['verify']>[1];

const requestSchema = z.object({
  // The schemes read the rest themselves and refuse what they cannot read.
  paymentPayload: z.custom<Payload>((value) => z.looseObject({ payload: z.looseObject({}) }).safeParse(value).success),
  paymentRequirements: z.custom<Requirements>((value) => z.looseObject({ scheme: z.string(), network: z.string() }).safeParse(value).success),
});

/** Serves the facilitator API of x402: `GET /supported`, `POST /verify`, `POST /settle`. Without `faults` it is honest. */
export function serveFacilitator(facilitator: x402Facilitator, faults?: FacilitatorFaults): Promise<HttpService> {
  return serveHttp(async (request, response) => {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    if (route === 'GET /supported') return sendJson(response, 200, facilitator.getSupported());
    const step = route === 'POST /verify' ? 'verify' : route === 'POST /settle' ? 'settle' : undefined;
    if (!step) throw new BursarError('NOT_FOUND', `The facilitator has no ${route}.`);
    const parsed = requestSchema.safeParse(await readJson(request));
    if (!parsed.success) throw new BursarError('INPUT_INVALID', `The facilitator cannot read the request: ${z.prettifyError(parsed.error)}`);
    await serveStep(step, { request: parsed.data, response, facilitator, fault: faults?.on(step) });
  }, { toPages: true });
}

interface StepOptions {
  readonly request: z.infer<typeof requestSchema>;
  readonly response: ServerResponse;
  readonly facilitator: x402Facilitator;
  readonly fault: ReturnType<FacilitatorFaults['on']>;
}

async function serveStep(step: FacilitatorStep, { request, response, facilitator, fault }: StepOptions): Promise<void> {
  const failure = () => sendJson(response, 500, { error: 'Internal Server Error' });
  if (fault === '500') return failure();
  if (fault === 'timeout') return;
  if (fault === 'lie') return sendJson(response, 200, lie(step, request));
  const { paymentPayload, paymentRequirements } = request;
  const answer = await facilitator[step](paymentPayload, paymentRequirements);
  if (fault === 'settle-then-hang') return;
  if (fault === 'settle-then-500') return failure();
  sendJson(response, 200, answer);
}

function lie(step: FacilitatorStep, { paymentPayload, paymentRequirements: { network } }: StepOptions['request']): object {
  const authorized = z.looseObject({ authorization: z.looseObject({ from: z.string() }) }).safeParse(paymentPayload.payload);
  const payer = authorized.success ? authorized.data.authorization.from : '';
  if (step === 'verify') return { isValid: true, payer };
  const transaction = network.startsWith('eip155:') || network.startsWith('base') ? `0x${'ab'.repeat(32)}` : '5'.repeat(88);
  return { success: true, transaction, network, payer };
}
