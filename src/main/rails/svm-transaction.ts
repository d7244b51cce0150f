import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createPrivateKeyFromBytes,
  createTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signBytes,
  type Address,
  type Blockhash,
  type Instruction,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { Account, Keys } from '../../core/ports.ts';
import { COMPUTE_UNIT_PRICE } from './spl-transfer.ts';

/** Longest time that a blockhash lives: 150 blocks. Shown to the owner only; the chain's height decides (I5). */
export const BLOCKHASH_LIFETIME_MS = 90_000;

/** A blockhash and what bounds the transaction that carries it. */
export interface BlockhashLifetime {
  readonly blockhash: string;
  /** The last block that may hold the transaction. */
  readonly lastValidBlockHeight: bigint;
  /** The slot at which the RPC gave the blockhash; the transaction cannot lie in an older one. */
  readonly slot: bigint;
}

/** A v0 transaction whose first two instructions bound its fee, not signed yet. */
export function compileSvm({ feePayer, units, lifetime, instructions }: { feePayer: Address; units: number; lifetime: BlockhashLifetime; instructions: readonly Instruction[] }) {
  const { blockhash, lastValidBlockHeight } = lifetime;
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(feePayer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight }, message),
      (message) =>
        appendTransactionMessageInstructions(
          [getSetComputeUnitLimitInstruction({ units }), getSetComputeUnitPriceInstruction({ microLamports: COMPUTE_UNIT_PRICE }), ...instructions],
          message,
        ),
    ),
  );
}

/** Adds the account's signature. Gives the wire bytes (base64) and the signature (base58). Throws `SIGNING_FAILED`, `WALLET_LOCKED`. */
export async function signSvm(keys: Keys, account: Account, transaction: ReturnType<typeof compileSvm>): Promise<{ readonly wire: string; readonly signature: string }> {
  const signature = await keys
    .use(account.id, async (seed) => signBytes(await createPrivateKeyFromBytes(seed), transaction.messageBytes))
    .catch((error: unknown) => {
      if (isBursarError(error)) throw error;
      // Without its cause: a library's text about a bad key may quote the key (I6).
      throw new BursarError('SIGNING_FAILED', `The account ${account.address} could not sign.`);
    });
  const signatures = { ...transaction.signatures, [account.address]: signature };
  return { wire: getBase64EncodedWireTransaction({ ...transaction, signatures }), signature: getBase58Decoder().decode(signature) };
}

/** What the journal keeps of a transaction, besides its kind, to find it again. */
export const lifetimeTrack = ({ blockhash, lastValidBlockHeight, slot }: BlockhashLifetime, now: number) => ({
  blockhash,
  lastValidBlockHeight: lastValidBlockHeight.toString(),
  slot: slot.toString(),
  signedAt: String(Math.floor(now / 1000)),
});
