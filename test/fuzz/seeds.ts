import { readFileSync } from 'node:fs';
import { defaultPolicy } from '../../src/shared/policy/policy.ts';
import { answerOf, hostileCases } from '../support/hostile-cases.ts';

/** The larger cases of the corpus would only make every run slow; their kinds are made by mutation. */
const MAX_SEED_CHARACTERS = 6_000;

const OFFER = { scheme: 'exact', network: 'eip155:84532', amount: '10000', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', maxTimeoutSeconds: 300, extra: { name: 'USDC', version: '2' } };
const REQUIRED = { x402Version: 2, error: 'Payment required', resource: { url: 'mcp://tool/t' }, accepts: [OFFER] };
const rpc = (members: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...members });
const toolError = (members: object) => rpc({ result: { isError: true, content: [{ type: 'text', text: 'Payment required' }], ...members } });
const MPX = {
  mpxVersion: 1,
  paymentRequestId: '6f0c1a0e-3f0e-4b0a-9c55-2c2f5d1e7a11',
  expiresAt: '2027-01-01T00:00:00Z',
  reason: { tool: 't', description: 'd' },
  amount: { value: '1.50', currency: 'USDC', decimals: 6 },
  accepts: [
    { rail: 'dev-signature', payTo: OFFER.payTo, requirements: { scheme: 'hmac-sha256', payTo: OFFER.payTo, amount: '1.50', currency: 'USDC', decimals: 6 } },
    { rail: 'x402-evm-exact', payTo: OFFER.payTo, requirements: { ...OFFER, amount: undefined, network: 'base-sepolia', chainId: 84532, maxAmountRequired: '1500000', resource: '', description: '', mimeType: '' } },
    { rail: 'stripe-card', payTo: OFFER.payTo, requirements: { scheme: 'stripe-payment-intent', paymentIntentId: 'pi_1', clientSecret: 'pi_1_secret_x', amount: 150, currency: 'usd', captureMethod: 'manual' } },
  ],
};
const MPP = { id: 'c1', realm: 'shop', method: 'evm', intent: 'charge', expires: '2027-01-01T00:00:00Z', request: { amount: '10000', currency: OFFER.asset, recipient: OFFER.payTo, methodDetails: { chainId: 84532 } } };

/** Answers of servers, in every form that wire formats know. */
const FORMS: readonly string[] = [
  toolError({ structuredContent: REQUIRED }),
  toolError({ content: [{ type: 'text', text: JSON.stringify(REQUIRED) }] }),
  toolError({ content: [{ type: 'text', text: JSON.stringify({ 'x402/error': { code: 402, data: REQUIRED } }) }] }),
  toolError({ _meta: { 'x402/error': REQUIRED } }),
  toolError({ structuredContent: { ...REQUIRED, x402Version: 1, error: '_meta.x402.payment is required' } }),
  toolError({ _meta: { 'mpx/v1.challenge': MPX } }),
  toolError({ content: [{ type: 'text', text: 'MCP error -32001: Payment required' }] }),
  toolError({ content: [{ type: 'text', text: 'payment_error: expired' }] }),
  rpc({ error: { code: 402, message: 'Payment required', data: REQUIRED } }),
  rpc({ error: { code: -32042, message: 'Payment required', data: { x402: REQUIRED } } }),
  rpc({ error: { code: -32042, message: 'Payment required', data: { challenges: [MPP] } } }),
  rpc({ error: { code: -32042, message: 'Open this', data: { elicitations: [{ mode: 'url', url: 'https://pay.example', elicitationId: 'e' }] } } }),
  rpc({ error: { code: -32043, message: 'Verification failed', data: { challenges: [MPP], problem: { title: 't', detail: 'd' } } } }),
  rpc({ error: { code: -32001, message: 'Payment required', data: { paymentRequirements: { price: { amount: '0.01', asset: { address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' } }, recipient: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', description: 'd', currency: 'USDC', network: 'devnet' } } } }),
  rpc({ error: { code: -32002, message: 'Payment invalid', data: { reason: 'too old' } } }),
  rpc({ result: { error: { code: 402, message: 'p', data: { accepts: [{ ...OFFER, extra: { challengeId: 'c' } }] } } } }),
  rpc({ result: { content: [{ type: 'text', text: 'sunny' }], _meta: { 'x402/payment-response': { success: true, transaction: '0x1', network: 'eip155:84532' }, 'mpx/v1.receipt': { mpxVersion: 1, paymentRequestId: MPX.paymentRequestId, rail: 'dev-signature', settlementRef: 'r', amount: MPX.amount, settledAt: MPX.expiresAt }, 'org.paymentauth/receipt': { status: 'success' } } } }),
  rpc({ method: 'tools/call', params: { name: 't', arguments: { a: [1, 'x'] }, _meta: { progressToken: 7 } } }),
  `[${rpc({ result: {} })},${rpc({ error: { code: 1, message: '' } })}]`,
];

const cases = hostileCases().flatMap(({ calls }) => calls.flatMap(({ answer, retries }) => [answer, ...retries])).map((answer) => answerOf(answer, OFFER.payTo));
const fitting = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== '' && text.length <= MAX_SEED_CHARACTERS))];

/** Messages, and what stands in bodies and headers. */
export const MESSAGES: readonly string[] = [...FORMS, ...FORMS, ...FORMS].concat(fitting([
  ...FORMS,
  ...cases.flatMap(({ text, http }) => [text, http?.body ?? '', ...Object.values(http?.headers ?? {}).flatMap((values) => (values ?? []).map((value) => Buffer.from(value, 'base64').toString()))]),
  JSON.stringify(REQUIRED),
  JSON.stringify({ ...REQUIRED, x402Version: 1, accepts: [{ ...OFFER, amount: undefined, network: 'base-sepolia', maxAmountRequired: '10000' }] }),
  JSON.stringify(MPX),
  JSON.stringify(MPP),
]));

/** Answers to `tools/list`, with every form of a price. */
export const LISTS: readonly string[] = [
  rpc({ result: { tools: [{ name: 'a', description: 'd', payment: { required: true, price: 0.01, currency: 'USDC' }, inputSchema: { properties: { _payment: {}, x: {} }, required: ['_payment', 'x'] } }, { name: 'b' }] } }),
  rpc({ result: { tools: [{ name: 'a', _meta: { x402: REQUIRED, 'agents-x402/priceUSD': 0.1 }, annotations: { paymentPriceUSD: 2 } }, { name: 'b', description: '', inputSchema: { properties: { payment_authorization: { type: 'string' } } } }] } }),
];

export const POLICIES: readonly string[] = [
  JSON.stringify(defaultPolicy('Europe/Berlin')),
  ...[...readFileSync(new URL('../../docs/policy.md', import.meta.url), 'utf8').matchAll(/```json\n(\{[^`]*)```/g)].map(([, json = '']) => json),
  JSON.stringify({ ...defaultPolicy('UTC'), paying: { accounts: [{ account: OFFER.payTo, max: { amount: '1', unit: 'USD' } }], tokens: [`eip155:84532/erc20:${OFFER.asset}`], trusted: [{ asset: `eip155:84532/erc20:${OFFER.payTo}`, symbol: 'PLAY', decimals: 2, eip712: { name: 'Play', version: '1' } }], openHosts: ['localhost:4021'] } }),
];

export const CONFIGS: readonly string[] = [
  '{\n  "mcpServers": {\n    "other": { "command": "npx", "args": ["-y", "x"], "env": { "A": "b" } },\n    "bursar-demo": { "command": "/usr/bin/node", "args": ["shim.js"] }\n  }\n}\n',
  '{"mcpServers":{}}',
  '',
  '{"version":1,"environment":"sandbox","homeId":"0123456789abcdef","port":4404,"networks":{"eip155:84532":{"rpcUrls":["http://127.0.0.1:8545"],"confirmations":3}},"clients":{"gemini":{"answerWithinSeconds":540}},"keys":{"backend":"vault","created":true}}',
];

export const AMOUNTS: readonly string[] = ['0', '1.50', '10000', '0.000001', '-1', '1e3', '1.', '.5', '01', '9'.repeat(78), '115792089237316195423570985008687907853269984665640564039457584007913129639935', '1,000', '1 000', '٣', '1.5.0'];

export const STREAMS: readonly string[] = ['event: message\nid: 1\nretry: 500\ndata: {"jsonrpc":"2.0",\ndata: "id":1}\n\n', ': comment\r\ndata:x\r\n\r\n', '\ufeffdata: a\rdata: b\r\rid\n\n', `data: ${JSON.stringify(REQUIRED)}\n\n`];

export const URLS: readonly string[] = ['https://api.example.com/v1/data?q=1#f', 'http://localhost:4021/', 'http://user:pw@host/', 'http://[::1]:80/', 'http://2130706433/', 'ftp://x/', 'https://exa\u0301mple.com/%zz', '//x', 'http://[fe80::1%25eth0]/', 'https://xn--80ak6aa92e.com'];

/** `WWW-Authenticate` and split headers, besides the messages in base64. */
export const HEADERS: readonly string[] = [`Payment id="c1", realm="shop", method="evm", intent="charge", request="${Buffer.from(JSON.stringify(MPP.request)).toString('base64url')}", expires="2027-01-01T00:00:00Z"`, 'Bearer realm="x", Payment id=a, realm=b', '10000', '0.01', OFFER.payTo, OFFER.asset, 'base-sepolia', 'USDC'];

/** Bodies of requests for an access token. */
export const TOKEN_REQUESTS: readonly string[] = [
  'grant_type=client_credentials',
  'grant_type=client_credentials&scope=payment_context%3Aread+x402%3Aexecute&resource=http%3A%2F%2F127.0.0.1%3A1%2Fmcp',
  'grant_type=client_credentials&client_id=7b0c4c1e&client_secret=brs_secret_x',
  'grant_type=client_credentials&client_id=a&client_id=b',
  '%E0%A4%A=%&&=&a=',
];
