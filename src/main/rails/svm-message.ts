import {
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  type Transaction,
} from '@solana/kit';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { COMPUTE_BUDGET_PROGRAM, COMPUTE_UNIT_PRICE } from './spl-transfer.ts';

export type SvmMessage = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;

/** An instruction with its accounts by address. */
export interface PlainInstruction {
  readonly program: string | undefined;
  readonly accounts: readonly (string | undefined)[];
  readonly data: readonly number[];
}

/** Decodes what is about to be sent (base64). Throws `PROOF_MISMATCH`. */
export function readWire(wire: string): { readonly transaction: Transaction; readonly message: SvmMessage } {
  try {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
    // One writing only: bytes that a decoder skips must not leave.
    if (Buffer.from(getTransactionEncoder().encode(transaction)).toString('base64') !== wire) throw new Error('not canonical');
    return { transaction, message: getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) };
  } catch (cause) {
    throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is not a transaction.', { cause });
  }
}

/** Throws `PROOF_MISMATCH` for a version of messages that is not known. */
export function instructionsOf(message: SvmMessage): PlainInstruction[] {
  if (message.version === 1) throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is a transaction of an unknown version.');
  const at = (index: number): string | undefined => message.staticAccounts[index];
  return message.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
    program: at(programAddressIndex),
    accounts: accountIndices.map(at),
    data: [...data],
  }));
}

/** Facts that hold of every transaction that Bursar makes. */
export const plainFacts = (message: SvmMessage, blockhash: string): Record<string, boolean> => ({
  version: message.version === 0,
  'address table': message.version === 0 && (message.addressTableLookups ?? []).length === 0,
  blockhash: message.lifetimeToken === blockhash,
});

/** The two instructions that every transaction begins with. */
export const budgetInstructions = (units: number): [PlainInstruction, PlainInstruction] => [
  { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: [2, ...littleEndian(BigInt(units), 4)] },
  { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: [3, ...littleEndian(COMPUTE_UNIT_PRICE, 8)] },
];

/** The registered token of the terms, by the registry alone: what the caller holds as asset is not asked. Throws `PROOF_MISMATCH`. */
export function registeredAsset({ network, asset: mint }: Pick<Terms, 'network' | 'asset'>, assets: Assets): Asset {
  const asset = assets.find(network, mint);
  if (!asset) throw new BursarError('PROOF_MISMATCH', `The token ${mint} is not in the registry.`);
  return asset;
}

export const same = (found: PlainInstruction | undefined, wanted: PlainInstruction): boolean => JSON.stringify(found) === JSON.stringify(wanted);

export const sameSet = (found: readonly string[], wanted: readonly string[]): boolean => found.length === wanted.length && new Set([...found, ...wanted]).size === wanted.length;

export const littleEndian = (value: bigint, length: number): number[] => Array.from({ length }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
