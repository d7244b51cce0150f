import { isAddress, isSignature, type Address } from '@solana/kit';
import type { Commitment } from './bank.ts';
import { invalidParams } from './rpc-error.ts';

/** The fields that the methods read from their configuration argument; what a caller adds is ignored, as on a node. */
export interface RpcConfig {
  readonly commitment: Commitment | undefined;
  readonly encoding: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The address at `index` of the parameters. Throws `Invalid param`. */
export function addressAt(params: readonly unknown[], index: number): Address {
  const value = params[index];
  if (typeof value !== 'string' || !isAddress(value)) throw invalidParams(`parameter ${index} is not an address`);
  return value;
}

/** The text at `index` of the parameters. Throws `Invalid param`. */
export function textAt(params: readonly unknown[], index: number): string {
  const value = params[index];
  if (typeof value !== 'string') throw invalidParams(`parameter ${index} is not a text`);
  return value;
}

/** The signature at `index` of the parameters. Throws `Invalid param`. */
export function signatureAt(params: readonly unknown[], index: number): string {
  const value = textAt(params, index);
  if (!isSignature(value)) throw invalidParams(`parameter ${index} is not a signature`);
  return value;
}

/** The list of texts at `index` of the parameters. Throws `Invalid param`. */
export function textsAt(params: readonly unknown[], index: number): readonly string[] {
  const value = params[index];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw invalidParams(`parameter ${index} is not a list of texts`);
  return value;
}

/** The whole number at `index` of the parameters. Throws `Invalid param`. */
export function wholeAt(params: readonly unknown[], index: number): bigint {
  const value = params[index];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw invalidParams(`parameter ${index} is not a whole number`);
  return BigInt(value);
}

/** The configuration object at `index`, empty where it is left out; a bare text is an encoding, as in older clients. */
export function configAt(params: readonly unknown[], index: number): RpcConfig {
  const value = params[index];
  if (typeof value === 'string') return { commitment: undefined, encoding: value, fields: {} };
  if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    throw invalidParams(`parameter ${index} is not a configuration object`);
  }
  const fields: Record<string, unknown> = { ...value };
  const { commitment, encoding } = fields;
  if (commitment !== undefined && commitment !== 'processed' && commitment !== 'confirmed' && commitment !== 'finalized') {
    throw invalidParams(`unknown commitment ${JSON.stringify(commitment)}`);
  }
  return { commitment, encoding: typeof encoding === 'string' ? encoding : undefined, fields };
}
