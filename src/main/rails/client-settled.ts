import type { Offer } from '../../core/challenges/dialect.ts';
import { stringifyJson, type Json } from '../../core/json/json.ts';
import type { Observation, Rail } from '../../core/ports.ts';
import type { Asset } from '../../core/registry/assets.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import type { Facilitators } from '../adapters/facilitators/facilitators.ts';
import { submitUntilCertain } from './submit.ts';

/** How long the chain is watched for what a facilitator says it sent, or says it did not: either may be wrong. */
const LOOK_AFTER_SUCCESS_MS = 30_000;
const LOOK_AFTER_FAILURE_MS = 5_000;

/** Some wallet, for the checks that come before a facilitator was asked for its key. Nobody pays with it. */
const SOME_FEE_PAYER = 'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8';

/**
 * Settlement by the client (seed 001): a rail whose proof the seller would settle, settled by Bursar with its own facilitators before the
 * retry. It takes only offers that ask for it, by the owner's setting or by V1 split headers; on a standard seller it would burn the
 * nonce. The track holds the request to the facilitator, so that each of them, and every later run, sends identical bytes.
 */
export function createClientSettled(rail: Rail, facilitators: Facilitators): Rail {
  const onSolana = rail.namespace === 'solana';

  /** On Solana the facilitator pays the fee. Where the offer names no key, ours does. */
  const completed = async (offer: Offer, signal: AbortSignal): Promise<Offer> =>
    onSolana && !offer.extra.has('feePayer') ? withExtra(offer, 'feePayer', await facilitators.feePayer(offer.network, signal)) : offer;

  return {
    id: `${rail.id}-client`,
    scheme: rail.scheme,
    namespace: rail.namespace,
    flow: 'prepay',
    settlement: 'client',

    check: (offer, asset) => rail.check(onSolana && !offer.extra.has('feePayer') ? withExtra(offer, 'feePayer', SOME_FEE_PAYER) : offer, asset),

    async sign(request) {
      const offer = await completed(request.offer, request.signal);
      const proof = await rail.sign({ ...request, offer });
      const feePayer = offer.extra.get('feePayer');
      return {
        ...proof,
        track: { ...proof.track, settle: settleRequest(offer, request.asset, proof.payloadText), ...(typeof feePayer === 'string' && onSolana && { feePayer }) },
      };
    },

    observe: rail.observe,

    async submit(terms, track, signal): Promise<Observation> {
      const { settle: body, feePayer } = track;
      if (body === undefined) return { state: 'unreachable', why: 'The payment cannot be settled, because its row in the journal cannot be read.' };
      const enough = new AbortController();
      const lookFor = (ms: number) => void setTimeout(() => enough.abort(), ms).unref();
      return submitUntilCertain({
        look: () => rail.observe(terms, track, signal),
        // Each facilitator has had its tries then; and "already settled" is a refusal like any other: in every case the chain is asked next.
        resend: false,
        send: async () => {
          try {
            await facilitators.settle({ network: terms.network, body, ...(feePayer !== undefined && { feePayer }), signal });
            lookFor(LOOK_AFTER_SUCCESS_MS);
          } catch (error) {
            lookFor(LOOK_AFTER_FAILURE_MS);
            throw error;
          }
        },
        signal: AbortSignal.any([signal, enough.signal]),
      });
    },
    ...(rail.cancel && { cancel: rail.cancel }),
  };
}

const withExtra = (offer: Offer, key: string, value: string): Offer => ({ ...offer, extra: new Map<string, Json>([...offer.extra, [key, value]]) });

/** The body of `POST /settle` in x402 v2 (facilitator API), built from what was signed and the registry alone. */
function settleRequest(offer: Offer, asset: Asset, payloadText: string): string {
  const extra: readonly (readonly [string, Json])[] = [...(asset.eip712 ? ([['name', asset.eip712.name], ['version', asset.eip712.version]] as const) : []), ...[...offer.extra].filter(([key]) => key === 'feePayer' || key === 'memo')];
  const requirements = stringifyJson(
    new Map<string, Json>([
      ['scheme', offer.scheme],
      ['network', offer.network satisfies NetworkId],
      ['amount', offer.amount],
      ['asset', asset.address],
      ['payTo', offer.payee],
      ['maxTimeoutSeconds', offer.maxTimeoutSeconds],
      ['extra', new Map(extra)],
    ]),
  );
  return `{"x402Version":2,"paymentPayload":{"x402Version":2,"accepted":${requirements},"payload":${payloadText}},"paymentRequirements":${requirements}}`;
}

