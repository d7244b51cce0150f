import { concat, numberToHex, pad, toEventSelector, toFunctionSelector } from 'viem/utils';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { Endpoint, Question } from './endpoint.ts';

const quantity = z.string().regex(/^0x[0-9a-f]{1,64}$/i).transform((text) => BigInt(text));
const hex = z.string().regex(/^0x[0-9a-f]*$/i).transform((text) => text.toLowerCase());
const word = z.string().regex(/^0x[0-9a-f]{64}$/i).transform((text) => BigInt(text));

const block = z.object({ number: quantity, timestamp: quantity });
const event = z.object({ address: hex, topics: z.array(hex), data: hex, removed: z.boolean().optional() });
const foundEvent = event.extend({ transactionHash: hex, blockNumber: quantity });
const senders = z.object({ transactions: z.array(z.object({ hash: hex, from: hex, nonce: quantity })) });
const receipt = z.object({ status: quantity, blockNumber: quantity, logs: z.array(event) });

export type EvmBlock = z.infer<typeof block>;
export type EvmEvent = z.infer<typeof event>;
export type FoundEvmEvent = z.infer<typeof foundEvent>;
export type EvmReceipt = z.infer<typeof receipt>;

/** Signatures (EIP-20, EIP-3009) as topics, in lower case. */
export const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
export const AUTHORIZATION_USED = toEventSelector('AuthorizationUsed(address,bytes32)');
export const AUTHORIZATION_CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');

const BALANCE_OF = toFunctionSelector('balanceOf(address)');
const AUTHORIZATION_STATE = toFunctionSelector('authorizationState(address,bytes32)');

/** An address as an event's topic. */
export const addressTopic = (address: string): string => pad(address.toLowerCase() as Hex);

const call = (endpoint: Endpoint, at: { token: string; data: Hex; block: string }, signal: AbortSignal): Promise<bigint> =>
  endpoint.ask('eth_call', [{ to: at.token, data: at.data }, at.block], word, signal);

/** Base units at the head. */
export const readEvmBalance = (endpoint: Endpoint, token: string, owner: string, signal: AbortSignal): Promise<bigint> =>
  call(endpoint, { token, data: concat([BALANCE_OF, pad(owner as Hex)]), block: 'latest' }, signal);

/** The question for what an owner holds of a token; of the network's coin where `token` is undefined. */
export const balanceQuestion = (token: string | undefined, owner: string): Question<bigint> =>
  token === undefined
    ? { method: 'eth_getBalance', params: [owner, 'latest'], shape: quantity }
    : { method: 'eth_call', params: [{ to: token, data: concat([BALANCE_OF, pad(owner as Hex)]) }, 'latest'], shape: word };

/** True where the authorization was used or cancelled at the given block. */
export const readAuthorizationState = async (endpoint: Endpoint, of: { token: string; from: string; nonce: string }, at: bigint, signal: AbortSignal): Promise<boolean> =>
  (await call(endpoint, { token: of.token, data: concat([AUTHORIZATION_STATE, pad(of.from as Hex), of.nonce as Hex]), block: numberToHex(at) }, signal)) !== 0n;

export const readBlock = (endpoint: Endpoint, at: bigint | 'latest' | 'finalized', signal: AbortSignal): Promise<EvmBlock> =>
  endpoint.ask('eth_getBlockByNumber', [typeof at === 'bigint' ? numberToHex(at) : at, false], block, signal);

/** Every transaction of a block with its sender (lower case) and nonce. */
export const readSenders = async (endpoint: Endpoint, at: bigint, signal: AbortSignal) =>
  (await endpoint.ask('eth_getBlockByNumber', [numberToHex(at), true], senders, signal)).transactions;

/** The newest block that can no longer change: so many blocks behind the head where the network has no finalized one of its own. */
export async function readFinalizedBlock(endpoint: Endpoint, confirmations: number | undefined, signal: AbortSignal): Promise<EvmBlock> {
  if (confirmations === undefined) return readBlock(endpoint, 'finalized', signal);
  const { number } = await readBlock(endpoint, 'latest', signal);
  const depth = BigInt(confirmations);
  return readBlock(endpoint, number > depth ? number - depth : 0n, signal);
}

/** How many transactions of an account the chain holds at a block: the nonce of its next one. */
export const readNonce = (endpoint: Endpoint, account: string, at: bigint, signal: AbortSignal): Promise<bigint> =>
  endpoint.ask('eth_getTransactionCount', [account, numberToHex(at)], quantity, signal);

/** What an account holds of the network's coin (wei), at the head. */
export const readEvmCoin = (endpoint: Endpoint, owner: string, signal: AbortSignal): Promise<bigint> => endpoint.ask('eth_getBalance', [owner, 'latest'], quantity, signal);

/** Code at an address, at the head: `0x` where there is none. */
export const readEvmCode = (endpoint: Endpoint, account: string, signal: AbortSignal): Promise<string> => endpoint.ask('eth_getCode', [account, 'latest'], hex, signal);

/** Events in blocks `from` to `to`, both included. */
export const readEvents = (
  endpoint: Endpoint,
  filter: { address: string; topics: readonly (string | readonly string[])[]; from: bigint; to: bigint },
  signal: AbortSignal,
): Promise<FoundEvmEvent[]> => {
  const { address, topics, from, to } = filter;
  return endpoint.ask('eth_getLogs', [{ address, topics, fromBlock: numberToHex(from), toBlock: numberToHex(to) }], z.array(foundEvent), signal);
};

/** Undefined where the chain does not hold the transaction (any more). */
export const readReceipt = async (endpoint: Endpoint, transaction: string, signal: AbortSignal): Promise<EvmReceipt | undefined> =>
  (await endpoint.ask('eth_getTransactionReceipt', [transaction], receipt.nullable(), signal)) ?? undefined;
