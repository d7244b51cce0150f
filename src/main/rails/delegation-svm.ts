import { address, createNoopSigner, getBase64EncodedWireTransaction, type Instruction } from '@solana/kit';
import { getApproveCheckedInstruction, getRevokeInstruction } from '@solana-program/token';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Account, Keys, Track } from '../../core/ports.ts';
import { REGISTERED, type Asset, type Assets } from '../../core/registry/assets.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { verifyDelegationSvm } from './delegation-svm-decode.ts';
import { DELEGATION_UNITS, type DelegationTerms } from './delegation-terms.ts';
import { MEMO_PROGRAM } from './spl-transfer.ts';
import { compileSvm, lifetimeTrack, signSvm, type BlockhashLifetime } from './svm-transaction.ts';

export interface SignDelegation {
  readonly keys: Keys;
  /** The owner's account. */
  readonly account: Account;
  readonly terms: DelegationTerms;
  readonly asset: Asset;
  /** Written as a memo: two equal approvals under one blockhash would be one transaction. */
  readonly act: string;
  readonly lifetime: BlockhashLifetime;
  readonly now: number;
  readonly assets?: Assets;
}

/**
 * Signs `approveChecked` or `revoke` of SPL Token or Token-2022 for an account of this wallet, then decodes the bytes and compares them (I2).
 * Nothing leaves the process here. Throws `PROOF_MISMATCH`, `SIGNING_FAILED`, `WALLET_LOCKED`.
 */
export async function signDelegationSvm({ keys, account, terms, asset, act, lifetime, now, assets = REGISTERED }: SignDelegation): Promise<{ readonly wire: string; readonly signature: string; readonly track: Track }> {
  const memo = { programAddress: address(MEMO_PROGRAM), accounts: [], data: utf8ToBytes(act) };
  const { wire, signature } = await signSvm(keys, account, compiled(terms, lifetime, [await instructionOf(terms, asset), memo]));
  await verifyDelegationSvm(wire, terms, { memo: act, blockhash: lifetime.blockhash }, assets);
  return { wire, signature, track: { kind: 'transfer-svm', signature, wire, ...lifetimeTrack(lifetime, now) } };
}

/** The same transaction without a signature (base64), for a wallet that holds the owner's key elsewhere. */
export async function unsignedDelegationSvm(terms: DelegationTerms, asset: Asset, lifetime: BlockhashLifetime): Promise<string> {
  return getBase64EncodedWireTransaction(compiled(terms, lifetime, [await instructionOf(terms, asset)]));
}

const compiled = ({ owner }: DelegationTerms, lifetime: BlockhashLifetime, instructions: readonly Instruction[]) =>
  compileSvm({ feePayer: address(owner), units: DELEGATION_UNITS, lifetime, instructions });

async function instructionOf({ kind, owner, delegate, amount }: DelegationTerms, asset: Asset): Promise<Instruction> {
  const config = { programAddress: address(tokenProgramOf(asset)) };
  const source = await tokenAccountOf(owner, asset);
  // A signer that signs nothing: it marks the account as one whose signature is needed.
  const signer = createNoopSigner(address(owner));
  if (kind === 'revoke') return getRevokeInstruction({ source, owner: signer }, config);
  return getApproveCheckedInstruction({ source, mint: address(asset.address), delegate: address(delegate), owner: signer, amount, decimals: asset.decimals }, config);
}
