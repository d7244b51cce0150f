import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import {
  address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type KeyPairSigner,
} from '@solana/kit';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import { toHex, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { EVM_CHAIN_ID, EVM_NETWORK, EVM_NETWORK_V1, EVM_USDC, SOLANA_NETWORK, SOLANA_USDC, type SandboxNetwork } from '../../../src/sandbox/networks.ts';
import type { Sandbox, SandboxAddresses } from '../../../src/sandbox/sandbox.ts';
import { TRANSFER_WITH_AUTHORIZATION } from '../../support/typed-data.ts';

/** One JSON-RPC message to the seller, answered with the raw response. */
export type Send = (message: object) => Promise<RpcResponse>;
export interface RpcResponse {
  readonly result?: ToolResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly _meta?: Record<string, unknown>;
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly outputSchema?: object }[];
}
export interface Offer {
  readonly scheme: string;
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Record<string, unknown>;
}
export interface Challenge {
  readonly x402Version: number;
  readonly error: string;
  readonly resource: object;
  readonly accepts: readonly Offer[];
}
export type Payment = Record<string, unknown> & { readonly accepted: object; readonly payload: Record<string, unknown> };

const INITIALIZE = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } } };

/** Talks to the seller over Streamable HTTP. */
export function httpLink(url: string): Send {
  let id = 0;
  return async (message) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), ...message }) });
    const text = await response.text();
    const data = response.headers.get('content-type')?.startsWith('text/event-stream') ? /^data: (.*)$/m.exec(text)?.[1] : text;
    return JSON.parse(data ?? '') as RpcResponse;
  };
}

/** Starts the seller's stdio form and talks to it. */
export async function stdioLink({ command, args, env }: SandboxAddresses['seller']['stdio']): Promise<{ send: Send; close(): Promise<void> }> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (response: RpcResponse) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const response = JSON.parse(line) as RpcResponse & { id: number };
    waiting.get(response.id)?.(response);
    waiting.delete(response.id);
  });
  let id = 0;
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const send: Send = (message) =>
    new Promise((resolve) => {
      waiting.set((id += 1), resolve);
      write({ id, ...message });
    });
  await send(INITIALIZE);
  write({ method: 'notifications/initialized' });
  return {
    send,
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.stdin.end();
      }),
  };
}

/** A wallet with a fresh key on each chain that pays with the stock x402 client schemes. */
export interface Buyer {
  readonly addresses: Readonly<Record<SandboxNetwork, string>>;
  pay(challenge: Challenge, offer?: Offer): Promise<Payment>;
  /** An x402 version 1 payment of one of a challenge's offers. */
  payV1(offer: object): Promise<object>;
  /** Sends USDC itself; returns the transaction's signature. */
  send(to: string, units: bigint): Promise<string>;
  /** Signs an EIP-3009 authorization. */
  authorize(authorization: Authorization): Promise<string>;
}

export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

/** A new buyer; give it money with `sandbox.fund`. */
export async function createBuyer(sandbox: Pick<Sandbox, 'solana'>): Promise<Buyer> {
  const account = privateKeyToAccount(toHex(randomBytes(32)));
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  const evm = new ExactEvmScheme(account);
  const svm = new ExactSvmScheme(signer, { rpcUrl: sandbox.solana.rpcUrl });
  const [evmV1, svmV1] = [new ExactEvmSchemeV1(account), new ExactSvmSchemeV1(signer, { rpcUrl: sandbox.solana.rpcUrl })];
  return {
    addresses: { [EVM_NETWORK]: account.address, [SOLANA_NETWORK]: signer.address },
    pay: async (challenge, offer = challenge.accepts[0]!) => {
      const scheme = offer.network === EVM_NETWORK ? evm : svm;
      const created = await scheme.createPaymentPayload(2, offer as Parameters<typeof scheme.createPaymentPayload>[1]);
      return { x402Version: 2, resource: challenge.resource, accepted: offer, payload: created.payload };
    },
    payV1: (offer) => {
      const scheme = (offer as Offer).network === EVM_NETWORK_V1 ? evmV1 : svmV1;
      return scheme.createPaymentPayload(1, offer as Parameters<typeof scheme.createPaymentPayload>[1]);
    },
    send: (to, units) => sendUsdc(createSolanaRpc(sandbox.solana.rpcUrl), signer, to, units),
    authorize: ({ from, to, value, validAfter, validBefore, nonce }) =>
      account.signTypedData({
        domain: { name: 'USDC', version: '2', chainId: EVM_CHAIN_ID, verifyingContract: EVM_USDC },
        types: TRANSFER_WITH_AUTHORIZATION,
        primaryType: 'TransferWithAuthorization',
        message: { from: from as Hex, to: to as Hex, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce: nonce as Hex },
      }),
  };
}

async function sendUsdc(rpc: ReturnType<typeof createSolanaRpc>, signer: KeyPairSigner, to: string, amount: bigint): Promise<string> {
  const mint = address(SOLANA_USDC);
  const [source, destination] = await Promise.all([signer.address, address(to)].map(async (owner) => (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]));
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(signer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstruction(getTransferCheckedInstruction({ source: source!, destination: destination!, mint, authority: signer, amount, decimals: 6 }), draft),
  );
  return rpc.sendTransaction(getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message)), { encoding: 'base64' }).send();
}

/** Calls a tool, with a payment where one is given. */
export async function callTool(send: Send, name: string, args: object, payment?: object): Promise<ToolResult> {
  const meta = payment ? { _meta: { 'x402/payment': payment } } : {};
  const { result, error } = await send({ method: 'tools/call', params: { name, arguments: args, ...meta } });
  if (!result) throw new Error(`JSON-RPC error: ${JSON.stringify(error)}`);
  return result;
}

/** The challenge that a result holds; fails where it is none or its two copies differ. */
export function challengeOf(result: ToolResult): Challenge {
  if (!result.isError || JSON.stringify(result.structuredContent) !== result.content[0]?.text) throw new Error(`no challenge: ${JSON.stringify(result)}`);
  return result.structuredContent as unknown as Challenge;
}

/** The settlement that a result's receipt names. */
export const receiptOf = (result: ToolResult) => result._meta?.['x402/payment-response'] as { success: boolean; transaction: string; network: string } | undefined;
