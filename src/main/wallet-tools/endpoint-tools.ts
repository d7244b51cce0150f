import { endpointRequest } from '../../core/discovery/endpoint-request.ts';
import { OPEN_SCHEMA } from '../../core/discovery/endpoint-input.ts';
import { parseJson, stringifyJson } from '../../core/json/json.ts';
import { isUnverified } from '../../core/policy/unverified.ts';
import type { Journal } from '../../core/ports.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { BursarError, errorText, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { Schemas } from '../adapters/schema-check.ts';
import { DEFAULT_GROUP } from '../../core/discovery/groups.ts';
import type { ApprovedEndpoint, ApprovedEndpoints } from '../adapters/store/approved-endpoints.ts';
import type { OwnToolAnswer, OwnToolCall } from '../bridge/aggregate/own-tools.ts';
import type { ServerWords } from '../bridge/server-words.ts';
import { agreedOf, priceWords } from '../discovery/price-words.ts';
import type { HttpAnswer } from '../http-buyer/http-answer.ts';
import type { HttpBuyer } from '../http-buyer/http-buyer.ts';
import { checkRequest, serverNameOf, toolNameOf, type HttpRequest } from '../http-buyer/http-request.ts';
import { failed, failedText, type WalletTool } from './define-tool.ts';
import { pendingResult, problemOf, refusalWords } from './purchase-words.ts';

export interface EndpointToolsDeps {
  readonly endpoints: Pick<ApprovedEndpoints, 'inForce' | 'groupOf' | 'isWithdrawn'>;
  readonly buyer: HttpBuyer;
  readonly journal: Pick<Journal, 'get'>;
  readonly assets: Pick<Assets, 'find'>;
  /** The networks that can be paid on now. */
  readonly networks: () => readonly string[];
  readonly schemas: Schemas;
  readonly words: Pick<ServerWords, 'note'>;
}

const MAX_DESCRIPTION_CHARACTERS = 1_200;

/** What every approved endpoint answers; the body is whatever it sends. */
const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    httpStatus: { type: 'integer', description: 'HTTP status of the answer.' },
    contentType: { type: 'string', description: 'Media type of the answer; may be empty.' },
    body: { description: 'The answer: its JSON, or its text, or its bytes in base64.' },
    bodyEncoding: { type: 'string', enum: ['json', 'text', 'base64'], description: 'What body is.' },
    payment: {
      type: 'object',
      description: 'What was paid for it; absent where nothing was asked.',
      properties: {
        paymentId: { type: 'string', description: 'The payment; payment_status tells more.' },
        amount: { type: 'string', description: 'In whole tokens, as a decimal number.' },
        token: { type: 'string' },
        network: { type: 'string', description: 'CAIP-2 id.' },
        payee: { type: 'string' },
      },
      required: ['paymentId', 'amount', 'token', 'network', 'payee'],
      additionalProperties: false,
    },
  },
  required: ['httpStatus', 'contentType', 'body', 'bodyEncoding'],
  additionalProperties: false,
} as const;

/** The tools that the approved endpoints of a client's group are. Whoever only claims a name is in the default group. */
export function createEndpointTools(deps: EndpointToolsDeps): (client: string) => readonly WalletTool[] {
  const { endpoints, words } = deps;
  return (client) =>
    endpoints.inForce(isUnverified(client) ? DEFAULT_GROUP : endpoints.groupOf(client)).map((endpoint) => {
      const tool = endpointTool(endpoint, deps);
      // Its agent reads what the seller says of itself.
      words.note({ client, upstream: serverNameOf(new URL(endpoint.listing.url)) }, tool.entryText);
      return tool;
    });
}

function endpointTool(endpoint: ApprovedEndpoint, deps: EndpointToolsDeps): WalletTool {
  const { id, tool, listing } = endpoint;
  return {
    name: tool,
    scope: 'x402:execute',
    entryText: entryOf(endpoint, deps),
    isWithdrawn: () => deps.endpoints.isWithdrawn(id),
    async run(call) {
      try {
        const schemaText = endpoint.schemaProblem === '' ? listing.input.schemaText : '';
        const misfit = schemaText === '' ? undefined : await deps.schemas.check(schemaText, call.argumentsText);
        if (misfit !== undefined) throw new BursarError('INPUT_INVALID', `The arguments are not as expected: ${misfit}.`, { hint: 'Nothing was sent. Call the tool again with arguments that fit its input schema.' });
        const { bodyText, ...request } = endpointRequest(listing, call.argumentsText);
        return await buy(endpoint, { ...request, ...(bodyText !== undefined && { body: Buffer.from(bodyText, 'utf8') }) }, call, deps);
      } catch (error) {
        const info = toErrorInfo(error);
        return failed(refusalWords(errorText(info)));
      }
    },
  };
}

async function buy({ tool, listing }: ApprovedEndpoint, request: HttpRequest, call: OwnToolCall, { buyer, journal, assets, words }: EndpointToolsDeps): Promise<OwnToolAnswer> {
  const { client, session, seenIn, signal } = call;
  const checked = checkRequest(request);
  const seller = serverNameOf(checked.url);
  const purchase = await buyer.buy(request, { client, session, seenIn, signal, progress: (message) => call.progress(message), ...(call.requireMayPay && { requireMayPay: call.requireMayPay }), agreed: agreedOf(listing) });
  if (purchase.kind === 'pending') return pendingResult(purchase, { tool, seller });
  if (purchase.kind === 'refusal') return failed(refusalWords(errorText(purchase.error)));
  const { answer, paymentId, delivered } = purchase;
  words.note({ client, upstream: seller, tool: toolNameOf(checked) }, answer.encoding === 'utf8' ? answer.body : '');
  const problem = problemOf(answer);
  if (problem !== undefined) {
    const paid = paymentId === '' ? '' : ` A payment was made for this call (${paymentId}); payment_status says how it stands.`;
    return { kind: 'result', resultText: failedText(`${problem}${paid}`), delivered };
  }
  const payment = paymentText(paymentId, { journal, assets });
  return { kind: 'result', resultText: `{"content":[${contentText(answer)}],"structuredContent":${structuredText(answer, payment)}}`, delivered };
}

function entryOf({ tool, listing, schemaProblem }: ApprovedEndpoint, { assets, networks }: EndpointToolsDeps): string {
  const { url, method, description, name, input } = listing;
  const { host } = new URL(url);
  const title = name === '' ? `${tool} (${host})` : `${name} (${host})`;
  const problem = input.problem || schemaProblem;
  const open = problem === '' ? '' : ` It takes any arguments, because ${problem}.`;
  return JSON.stringify({
    name: tool,
    title: cleanText(title, 200),
    description: `${cleanText(description || name || `${method} ${url}`, MAX_DESCRIPTION_CHARACTERS)}${open} (Cost: ${priceWords(listing, assets, networks())})`,
    inputSchema: problem === '' ? (JSON.parse(input.schemaText) as object) : (JSON.parse(OPEN_SCHEMA) as object),
    outputSchema: OUTPUT_SCHEMA,
    annotations: { title: cleanText(title, 200), readOnlyHint: false, destructiveHint: method !== 'GET' && method !== 'HEAD' && method !== 'POST', idempotentHint: false, openWorldHint: true },
  });
}

function paymentText(paymentId: string, { journal, assets }: Pick<EndpointToolsDeps, 'journal' | 'assets'>): string | undefined {
  const terms = paymentId === '' ? undefined : journal.get(paymentId)?.terms;
  const asset = terms && assets.find(terms.network, terms.asset);
  if (!terms || !asset) return undefined;
  return JSON.stringify({ paymentId, amount: formatUnits(terms.amount, asset.decimals), token: asset.symbol, network: terms.network, payee: terms.payee });
}

/** Pictures and sound as what they are, all else as text. */
function contentText({ headers, body, encoding }: HttpAnswer): string {
  const mimeType = mediaType(headers);
  if (encoding === 'base64' && mimeType.startsWith('image/')) return JSON.stringify({ type: 'image', data: body, mimeType });
  if (encoding === 'base64' && mimeType.startsWith('audio/')) return JSON.stringify({ type: 'audio', data: body, mimeType });
  return JSON.stringify({ type: 'text', text: body });
}

/** The body's own JSON, digit by digit and on one line. */
function structuredText({ status, headers, body, encoding }: HttpAnswer, payment: string | undefined): string {
  const json = encoding === 'utf8' ? jsonText(body) : undefined;
  const kind = encoding === 'base64' ? 'base64' : json === undefined ? 'text' : 'json';
  return `{"httpStatus":${status},"contentType":${JSON.stringify(mediaType(headers))},"body":${json ?? JSON.stringify(body)},"bodyEncoding":"${kind}"${payment === undefined ? '' : `,"payment":${payment}`}}`;
}

const mediaType = (headers: HttpAnswer['headers']): string => cleanText((headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '', 100);

function jsonText(text: string): string | undefined {
  try {
    return stringifyJson(parseJson(text));
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}
