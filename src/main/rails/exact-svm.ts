import { address, createNoopSigner, isAddress, type Address } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Rail, RandomBytes } from '../../core/ports.ts';
import { REGISTERED, type Asset, type Assets } from '../../core/registry/assets.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import { TOKEN_2022 } from '../../core/registry/solana-tokens.ts';
import type { SolanaAccounts } from '../adapters/chain/solana-accounts.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { requirePlainMint } from './check-mint.ts';
import { verifyExactSvm } from './exact-svm-decode.ts';
import { requireAuthorizationFlow, requireSameTerms } from './offer-terms.ts';
import { MAX_MEMO_BYTES, MAX_U64, MEMO_PROGRAM, SYSTEM_PROGRAM, transferUnits } from './spl-transfer.ts';
import { BLOCKHASH_LIFETIME_MS, compileSvm, lifetimeTrack, signSvm, type BlockhashLifetime } from './svm-transaction.ts';

export interface ExactSvmPorts {
  readonly keys: Keys;
  readonly random: RandomBytes;
  /** Tokens that may be paid; the registry alone where none is given. */
  readonly assets?: Assets;
  /** A fresh blockhash, by one RPC call. Throws `CHAIN_UNREACHABLE`. */
  readonly latestBlockhash: (network: NetworkId, signal: AbortSignal) => Promise<BlockhashLifetime>;
  /** Asked for what is beside the plain case: the mint of a Token-2022 token, and what is left of a delegation. */
  readonly accounts: () => SolanaAccounts;
  /** Reads the chain (I5). */
  readonly observe: Rail['observe'];
}

/**
 * x402 `exact` on Solana (wire-formats section 3): a token transfer signed by the payer alone, whose fee the server's facilitator pays. An
 * account that is a delegate signs for the token account of the wallet that it pays from.
 * The track holds our `signature` (the transaction's own one is the fee payer's), the `source` token account and the blockhash's bounds.
 */
export const createExactSvm = ({ keys, random, assets = REGISTERED, latestBlockhash, accounts, observe }: ExactSvmPorts): Rail => ({
  id: 'exact-svm',
  scheme: 'exact',
  namespace: 'solana',
  flow: 'authorize',

  check(offer, asset) {
    const { memo } = readOffer(offer, asset);
    return { payee: offer.payee, ...(memo !== undefined && { memo }) };
  },

  async sign({ terms, offer, asset, account, now, signal }) {
    const { feePayer, memo: chosen } = readOffer(offer, asset);
    requireSameTerms(terms, { offer, payee: offer.payee, ...(chosen !== undefined && { memo: chosen }), asset, account });
    const memo = utf8ToBytes(chosen ?? bytesToHex(random(16)));

    const { delegatedFrom } = account;
    const [source, destination] = await Promise.all([tokenAccountOf(delegatedFrom ?? terms.payer, asset), tokenAccountOf(terms.payee, asset)]);
    const [lifetime] = await Promise.all([
      latestBlockhash(terms.network, signal),
      tokenProgramOf(asset) === TOKEN_2022 && requirePlainMint(accounts(), asset, signal),
      delegatedFrom !== undefined && requireDelegation(accounts(), { terms, asset, source }, signal),
    ]);
    requireStranger(feePayer, [terms.payer, delegatedFrom ?? '', source, destination]);
    const transfer = getTransferCheckedInstruction(
      {
        source,
        mint: address(terms.asset),
        destination,
        // A signer that signs nothing: it marks the account as one whose signature is needed.
        authority: createNoopSigner(address(terms.payer)),
        amount: terms.amount,
        decimals: asset.decimals,
      },
      { programAddress: address(tokenProgramOf(asset)) },
    );
    const instructions = [transfer, { programAddress: address(MEMO_PROGRAM), accounts: [], data: memo }];
    const { wire, signature } = await signSvm(keys, account, compileSvm({ feePayer, units: transferUnits(asset), lifetime, instructions }));

    const payloadText = JSON.stringify({ transaction: wire });
    await verifyExactSvm(payloadText, terms, { feePayer, memo, blockhash: lifetime.blockhash, ...(delegatedFrom !== undefined && { delegatedFrom }) }, assets);
    return {
      payloadText,
      track: { kind: 'exact-svm', signature, source, ...lifetimeTrack(lifetime, now) },
      outstandingUntil: now + BLOCKHASH_LIFETIME_MS,
    };
  },

  observe,
});

/** Throws `INSUFFICIENT_BALANCE` where the owner's approval does not reach for the payment. */
export async function requireDelegation(accounts: SolanaAccounts, of: { terms: Terms; asset: Asset; source: Address }, signal: AbortSignal): Promise<void> {
  const { terms, asset, source } = of;
  const left = await accounts.spendable(terms.network, { tokenAccount: source, by: terms.payer }, signal);
  if (left >= terms.amount) return;
  const write = (units: bigint) => `${formatUnits(units, asset.decimals, 2)} ${asset.symbol}`;
  throw new BursarError('INSUFFICIENT_BALANCE', `The token account ${source} lets ${terms.payer} spend ${write(left)} more, and ${write(terms.amount)} is asked.`, {
    hint: 'The owner of that token account can approve more, or put money into it.',
  });
}

function readOffer(offer: Offer, asset: Asset): { feePayer: Address; memo?: string } {
  requireAuthorizationFlow(offer);
  requireWallet(offer.payee, asset);
  if (BigInt(offer.amount) > MAX_U64) throw new BursarError('NO_PAYABLE_OFFER', `It asks for ${offer.amount} base units, more than a Solana token account can hold.`);
  const feePayer = offer.extra.get('feePayer');
  if (typeof feePayer !== 'string' || !isAddress(feePayer)) throw new BursarError('CHALLENGE_MALFORMED', 'The offer names no valid fee payer (extra.feePayer).');
  requireStranger(feePayer, [asset.address, tokenProgramOf(asset), MEMO_PROGRAM]);
  const memo = offer.extra.get('memo');
  return memo === undefined ? { feePayer } : { feePayer, memo: requireMemo(memo) };
}

/** Throws `PAYEE_INVALID` for what cannot be anybody's wallet. */
export function requireWallet(payee: string, asset: Asset): void {
  if (isAddress(payee) && ![asset.address, tokenProgramOf(asset), SYSTEM_PROGRAM].includes(payee)) return;
  throw new BursarError('PAYEE_INVALID', `It wants to be paid at ${payee.slice(0, 80)}, which is no wallet address.`);
}

function requireMemo(memo: unknown): string {
  const length = typeof memo === 'string' && memo.isWellFormed() ? utf8ToBytes(memo).length : 0;
  if (typeof memo === 'string' && length > 0 && length <= MAX_MEMO_BYTES) return memo;
  throw new BursarError('CHALLENGE_MALFORMED', `The offer's memo (extra.memo) is not a text of 1 to ${MAX_MEMO_BYTES} bytes.`);
}

/** The fee payer signs the whole transaction, so it must be nothing that the transfer itself touches. */
function requireStranger(feePayer: Address, others: readonly string[]): void {
  if (others.includes(feePayer)) throw new BursarError('CHALLENGE_MALFORMED', `The offer's fee payer ${feePayer} takes part in the transfer itself.`);
}
