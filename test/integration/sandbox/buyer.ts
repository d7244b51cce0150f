import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { EVM_NETWORK, SOLANA_NETWORK, type SandboxNetwork } from '../../../src/sandbox/networks.ts';
import type { Sandbox, SandboxAddresses } from '../../../src/sandbox/sandbox.ts';

/** One JSON-RPC message to the seller, answered with the raw response. */
export type Send = (message: object) => Promise<RpcResponse>;
export interface RpcResponse {
  readonly result?: ToolResult;
  readonly error?: { readonly code: number; readonly message: string };
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
}

/** A new buyer; give it money with `sandbox.fund`. */
export async function createBuyer(sandbox: Pick<Sandbox, 'solana'>): Promise<Buyer> {
  const account = privateKeyToAccount(toHex(randomBytes(32)));
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  const evm = new ExactEvmScheme(account);
  const svm = new ExactSvmScheme(signer, { rpcUrl: sandbox.solana.rpcUrl });
  return {
    addresses: { [EVM_NETWORK]: account.address, [SOLANA_NETWORK]: signer.address },
    pay: async (challenge, offer = challenge.accepts[0]!) => {
      const scheme = offer.network === EVM_NETWORK ? evm : svm;
      const created = await scheme.createPaymentPayload(2, offer as Parameters<typeof scheme.createPaymentPayload>[1]);
      return { x402Version: 2, resource: challenge.resource, accepted: offer, payload: created.payload };
    },
  };
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
