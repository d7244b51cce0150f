import { getBase64Encoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { recoverTypedDataAddress } from 'viem/utils';
import type { Hex } from 'viem';
import type { RetryEdit } from '../../src/core/challenges/answer.ts';
import { TRANSFER_WITH_AUTHORIZATION } from './typed-data.ts';

/** A signature that left the wallet, read by code that is not the wallet's. */
export interface SignedTransfer {
  readonly kind: 'eip3009' | 'spl';
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  /** EVM: seconds at which it ends. */
  readonly validBefore?: number;
  /** EVM: who signed it, over the domain that was asked for. */
  readonly signer?: string;
  /** Solana: the mint, and how many instructions there are. */
  readonly mint?: string;
  readonly instructions?: number;
}

export interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
}

/** Every signed thing in what a paid retry carries, wherever its dialect puts it. Equal copies count once. */
export async function signedIn(edit: RetryEdit, domain: Domain | undefined): Promise<readonly SignedTransfer[]> {
  const found = new Map<string, unknown>();
  const look = (value: unknown): void => {
    if (typeof value === 'string') {
      const json = jsonOf(value) ?? jsonOf(Buffer.from(value.replace(/^Payment /, ''), 'base64').toString('utf8'));
      if (typeof json === 'object') look(json);
    } else if (value !== null && typeof value === 'object') {
      if (Object.hasOwn(value, 'signature') || Object.hasOwn(value, 'transaction')) found.set(JSON.stringify(value), value);
      for (const item of Object.values(value)) look(item);
    }
  };
  for (const group of [edit.meta, edit.arguments, edit.headers]) for (const value of Object.values(group ?? {})) look(value);
  return Promise.all([...found.values()].map((value) => readSigned(value as Record<string, unknown>, domain)));
}

async function readSigned(value: Record<string, unknown>, domain: Domain | undefined): Promise<SignedTransfer> {
  if (typeof value['transaction'] === 'string') return readTransaction(value['transaction']);
  // MPP writes the members of the authorization beside the signature.
  const { from, to, value: amount, validAfter, validBefore, nonce } = (value['authorization'] ?? value) as Record<string, string>;
  if (from === undefined || to === undefined || amount === undefined || !domain) throw new Error(`not a transfer: ${JSON.stringify(value)}`);
  const message = { from: from as Hex, to: to as Hex, value: BigInt(amount), validAfter: BigInt(validAfter ?? ''), validBefore: BigInt(validBefore ?? ''), nonce: nonce as Hex };
  const signer = await recoverTypedDataAddress({ domain, types: TRANSFER_WITH_AUTHORIZATION, primaryType: 'TransferWithAuthorization', message, signature: value['signature'] as Hex });
  return { kind: 'eip3009', from, to, amount, validBefore: Number(validBefore), signer };
}

/** The one TransferChecked of a Solana transaction; `from` and `to` are token accounts. */
function readTransaction(wire: string): SignedTransfer {
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(getBase64Encoder().encode(wire)).messageBytes);
  if (message.version === 1) throw new Error('a transaction of an unknown version');
  const transfers = message.instructions.filter(({ data }) => data?.[0] === 12 && data.length === 10);
  const [transfer] = transfers;
  if (transfers.length !== 1 || !transfer) throw new Error('not exactly one transfer');
  const account = (index: number) => message.staticAccounts[transfer.accountIndices?.[index] ?? -1] ?? '';
  const amount = Buffer.from(transfer.data ?? []).readBigUInt64LE(1).toString();
  return { kind: 'spl', from: account(0), mint: account(1), to: account(2), amount, instructions: message.instructions.length };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
