import { recoverTypedDataAddress, type Hex } from 'viem';
import { keccak256, toBytes } from 'viem/utils';
import { afterEach, expect, test } from 'vitest';
import type { RetryEdit } from '../../src/core/challenges/answer.ts';
import type { PaidCall } from '../../src/core/payments/call.ts';
import { createSigningWorld, type SigningWorld } from '../support/signing-world.ts';
import { TRANSFER_WITH_AUTHORIZATION } from '../support/typed-data.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const EXPIRES = '2026-01-15T12:05:00Z';
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
}

let world: SigningWorld | undefined;
afterEach(() => world?.close());

/** What the wallet sends for an answer, under a policy that allows all. */
async function proofFor(answer: PaidCall['answer']): Promise<RetryEdit> {
  world = await createSigningWorld({ now: NOW });
  let sent: RetryEdit = {};
  const outcome = await world.pay({
    upstream: 'shop',
    tool: 'forecast',
    argumentsText: '{}',
    answer,
    retry: async (edit) => {
      sent = edit;
      return { text: '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"sunny"}]}}' };
    },
  });
  expect(outcome).toMatchObject({ kind: 'answer' });
  return sent;
}

/** Who signed it, as the token on Base Sepolia would find out. */
const signerOf = ({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex) =>
  recoverTypedDataAddress({
    domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: USDC },
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: 'TransferWithAuthorization',
    message: { from, to, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce },
    signature,
  });

const REQUEST = { amount: '10000', currency: USDC, methodDetails: { chainId: 84532, credentialTypes: ['authorization'], decimals: 6 }, recipient: PAYEE };
const CHALLENGE = { id: 'x7Tg2pLq', realm: 'api.example.com', method: 'evm', intent: 'charge', expires: EXPIRES };
const encoded = Buffer.from(JSON.stringify(REQUEST)).toString('base64url');
const header = `Payment ${Object.entries({ ...CHALLENGE, request: encoded }).map(([name, value]) => `${name}="${value}"`).join(', ')}`;

test.each([
  [
    'MCP',
    { text: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32042, message: 'Payment Required', data: { challenges: [{ ...CHALLENGE, request: REQUEST }] } } }) },
    ({ meta }: RetryEdit) => JSON.parse(meta!['org.paymentauth/credential']!) as object,
  ],
  [
    'HTTP',
    { text: '', http: { status: 402, headers: { 'www-authenticate': [header] }, body: '' } },
    ({ headers }: RetryEdit) => JSON.parse(Buffer.from(headers!['authorization']!.slice('Payment '.length), 'base64url').toString()) as object,
  ],
])('I2: a proof for MPP over %s is not bound to its challenge, or outlives it, or is signed by another key', async (_name, answer, read) => {
  const { challenge, payload, source } = read(await proofFor(answer)) as { challenge: object; payload: Authorization & { signature: Hex; type: string }; source: string };
  expect(challenge).toMatchObject(CHALLENGE);
  expect(payload).toMatchObject({ type: 'authorization', to: PAYEE, value: '10000', validAfter: '0', validBefore: String(Date.parse(EXPIRES) / 1000), nonce: keccak256(toBytes('x7Tg2pLqapi.example.com')) });
  const payer = world!.accounts[0]!.address;
  expect(await signerOf(payload, payload.signature)).toBe(payer);
  expect(source).toBe(`did:pkh:eip155:84532:${payer}`);
});

test('I2: a proof for MPX is none that the token takes, or outlives its request', async () => {
  const requirements = { scheme: 'exact', network: 'base-sepolia', chainId: 84532, maxAmountRequired: '1500000', payTo: PAYEE, maxTimeoutSeconds: 3600, asset: USDC, extra: { name: 'USDC', version: '2' } };
  const challenge = {
    mpxVersion: 1,
    paymentRequestId: '7b0c1f6e-2f0d-4a38-9c5a-9d0b3f7f1c11',
    expiresAt: EXPIRES,
    reason: { tool: 'forecast', description: 'd' },
    amount: { value: '1.50', currency: 'USDC', decimals: 6 },
    accepts: [{ rail: 'x402-evm-exact', payTo: PAYEE, requirements }],
  };
  const { meta } = await proofFor({ text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, content: [], _meta: { 'mpx/v1.challenge': challenge } } }) });
  const authorization = JSON.parse(meta!['mpx/v1.authorization']!) as { payload: { payload: { signature: Hex; authorization: Authorization } } };
  expect(authorization).toMatchObject({ mpxVersion: 1, paymentRequestId: challenge.paymentRequestId, rail: 'x402-evm-exact', payload: { x402Version: 1, scheme: 'exact', network: 'base-sepolia' } });
  const { payload } = authorization.payload;
  expect(payload.authorization).toMatchObject({ to: PAYEE, value: '1500000' });
  expect(Number(payload.authorization.validBefore)).toBeLessThanOrEqual(Date.parse(EXPIRES) / 1000);
  expect(await signerOf(payload.authorization, payload.signature)).toBe(world!.accounts[0]!.address);
});
