import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createPrivateKeyFromBytes,
  createTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  isAddress,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signBytes,
  type Address,
  type Blockhash,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Rail, RandomBytes } from '../../core/ports.ts';
import { REGISTERED, type Asset, type Assets } from '../../core/registry/assets.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import { verifyExactSvm } from './exact-svm-decode.ts';
import { requireAuthorizationFlow, requireSameTerms } from './offer-terms.ts';
import { COMPUTE_UNIT_LIMIT, COMPUTE_UNIT_PRICE, MAX_MEMO_BYTES, MAX_U64, MEMO_PROGRAM, TOKEN_PROGRAM } from './spl-transfer.ts';
import { tokenAccountOf } from './token-account.ts';

/** Longest time that a blockhash lives: 150 blocks. Shown to the owner only; the chain's height decides (I5). */
const BLOCKHASH_LIFETIME_MS = 90_000;

/** A blockhash and what bounds the transaction that carries it. */
export interface BlockhashLifetime {
  readonly blockhash: string;
  /** The last block that may hold the transaction. */
  readonly lastValidBlockHeight: bigint;
  /** The slot at which the RPC gave the blockhash; the transaction cannot lie in an older one. */
  readonly slot: bigint;
}

export interface ExactSvmPorts {
  readonly keys: Keys;
  readonly random: RandomBytes;
  /** Tokens that may be paid; the registry alone where none is given. */
  readonly assets?: Assets;
  /** A fresh blockhash, by one RPC call. Throws `CHAIN_UNREACHABLE`. */
  readonly latestBlockhash: (network: NetworkId, signal: AbortSignal) => Promise<BlockhashLifetime>;
  /** Reads the chain (I5). */
  readonly observe: Rail['observe'];
}

/**
 * x402 `exact` on Solana (wire-formats section 3): a token transfer signed by the payer alone, whose fee the server's facilitator pays.
 * The track holds our `signature` (the transaction's own one is the fee payer's), the `source` token account and the blockhash's bounds.
 */
export const createExactSvm = ({ keys, random, assets = REGISTERED, latestBlockhash, observe }: ExactSvmPorts): Rail => ({
  id: 'exact-svm',
  scheme: 'exact',
  namespace: 'solana',
  flow: 'authorize',

  check(offer, asset) {
    readOffer(offer, asset);
    return { payee: offer.payee };
  },

  async sign({ terms, offer, asset, account, now, signal }) {
    const { feePayer, memo = utf8ToBytes(bytesToHex(random(16))) } = readOffer(offer, asset);
    requireSameTerms(terms, { offer, payee: offer.payee, asset, account });

    const [lifetime, source, destination] = await Promise.all([
      latestBlockhash(terms.network, signal),
      tokenAccountOf(terms.payer, terms.asset),
      tokenAccountOf(terms.payee, terms.asset),
    ]);
    requireStranger(feePayer, [terms.payer, source, destination]);
    const transaction = compile({ terms, asset, feePayer, memo, source, destination, lifetime });
    const signature = await keys
      .use(account.id, async (seed) => signBytes(await createPrivateKeyFromBytes(seed), transaction.messageBytes))
      .catch((error: unknown) => {
        if (isBursarError(error)) throw error;
        // Without its cause: a library's text about a bad key may quote the key (I6).
        throw new BursarError('SIGNING_FAILED', `The account ${account.address} could not sign.`);
      });

    const signatures = { ...transaction.signatures, [terms.payer]: signature };
    const payloadText = JSON.stringify({ transaction: getBase64EncodedWireTransaction({ ...transaction, signatures }) });
    await verifyExactSvm(payloadText, terms, { feePayer, memo, blockhash: lifetime.blockhash }, assets);
    return {
      payloadText,
      track: {
        kind: 'exact-svm',
        signature: getBase58Decoder().decode(signature),
        source,
        blockhash: lifetime.blockhash,
        lastValidBlockHeight: lifetime.lastValidBlockHeight.toString(),
        slot: lifetime.slot.toString(),
        signedAt: String(Math.floor(now / 1000)),
      },
      outstandingUntil: now + BLOCKHASH_LIFETIME_MS,
    };
  },

  observe,
});

interface Transfer {
  readonly terms: Terms;
  readonly asset: Asset;
  readonly feePayer: Address;
  readonly memo: Uint8Array;
  readonly source: Address;
  readonly destination: Address;
  readonly lifetime: BlockhashLifetime;
}

function compile({ terms, asset, feePayer, memo, source, destination, lifetime }: Transfer) {
  const instructions = [
    getSetComputeUnitLimitInstruction({ units: COMPUTE_UNIT_LIMIT }),
    getSetComputeUnitPriceInstruction({ microLamports: COMPUTE_UNIT_PRICE }),
    getTransferCheckedInstruction({
      source,
      mint: address(terms.asset),
      destination,
      // A signer that signs nothing: it marks the account as one whose signature is needed.
      authority: createNoopSigner(address(terms.payer)),
      amount: terms.amount,
      decimals: asset.decimals,
    }),
    { programAddress: address(MEMO_PROGRAM), accounts: [], data: memo },
  ];
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(feePayer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: lifetime.blockhash as Blockhash, lastValidBlockHeight: lifetime.lastValidBlockHeight }, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
}

function readOffer(offer: Offer, asset: Asset): { feePayer: Address; memo?: Uint8Array } {
  requireAuthorizationFlow(offer);
  if (!isAddress(offer.payee) || [asset.address, TOKEN_PROGRAM, '11111111111111111111111111111111'].includes(offer.payee)) {
    throw new BursarError('PAYEE_INVALID', `It wants to be paid at ${offer.payee.slice(0, 80)}, which is no wallet address.`);
  }
  if (BigInt(offer.amount) > MAX_U64) throw new BursarError('NO_PAYABLE_OFFER', `It asks for ${offer.amount} base units, more than a Solana token account can hold.`);
  const feePayer = offer.extra.get('feePayer');
  if (typeof feePayer !== 'string' || !isAddress(feePayer)) throw new BursarError('CHALLENGE_MALFORMED', 'The offer names no valid fee payer (extra.feePayer).');
  requireStranger(feePayer, [asset.address, TOKEN_PROGRAM, MEMO_PROGRAM]);
  const memo = offer.extra.get('memo');
  return memo === undefined ? { feePayer } : { feePayer, memo: memoBytes(memo) };
}

function memoBytes(memo: unknown): Uint8Array {
  const bytes = typeof memo === 'string' && memo.isWellFormed() ? utf8ToBytes(memo) : undefined;
  if (!bytes || bytes.length === 0 || bytes.length > MAX_MEMO_BYTES) {
    throw new BursarError('CHALLENGE_MALFORMED', `The offer's memo (extra.memo) is not a text of 1 to ${MAX_MEMO_BYTES} bytes.`);
  }
  return bytes;
}

/** The fee payer signs the whole transaction, so it must be nothing that the transfer itself touches. */
function requireStranger(feePayer: Address, others: readonly string[]): void {
  if (others.includes(feePayer)) throw new BursarError('CHALLENGE_MALFORMED', `The offer's fee payer ${feePayer} takes part in the transfer itself.`);
}
