import { AccountRole, address, createNoopSigner, type Address, type Instruction } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import { baseUnits, formatUnits } from '../../shared/money/money.ts';
import { reserveOf } from '../../core/challenges/order.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Rail, RandomBytes } from '../../core/ports.ts';
import { REGISTERED, type Asset, type Assets } from '../../core/registry/assets.ts';
import { coinOf, isCoin } from '../../core/registry/coins.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import { SPL_TOKEN, TOKEN_2022 } from '../../core/registry/solana-tokens.ts';
import type { SolanaAccounts } from '../adapters/chain/solana-accounts.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { requirePlainMint } from './check-mint.ts';
import { requireDelegation, requireWallet } from './exact-svm.ts';
import { feeLimit, feeRisen } from './fee-limit.ts';
import { requireSameTerms } from './offer-terms.ts';
import { MAX_U64, MEMO_PROGRAM, SYSTEM_PROGRAM } from './spl-transfer.ts';
import { submitUntilCertain } from './submit.ts';
import { BLOCKHASH_LIFETIME_MS, compileSvm, lifetimeTrack, signSvm, type BlockhashLifetime } from './svm-transaction.ts';
import { verifyTransferSvm } from './transfer-svm-decode.ts';

/** Compute units of a transfer, and of making an account; with the price they bound the priority fee to one lamport. */
const TRANSFER_UNITS = 60_000;
const CREATE_UNITS = 60_000;
const RESERVE_UNITS = 1_000;
/** One signature, and the priority fee rounded up. */
const FEE_LAMPORTS = 5_001n;
/** Bytes of a token account: Token-2022 adds what the mint's extensions want. */
const ACCOUNT_BYTES = { plain: 165, extended: 300 } as const;

/** What a transfer makes besides moving the amount. */
interface Creation {
  readonly create: boolean;
  /** Lamports that the payee is given. */
  readonly reserve: bigint;
}

export interface TransferSvmPorts {
  readonly keys: Keys;
  readonly random: RandomBytes;
  /** Tokens that may be paid; the registry alone where none is given. */
  readonly assets?: Assets;
  readonly latestBlockhash: (network: NetworkId, signal: AbortSignal) => Promise<BlockhashLifetime>;
  readonly accounts: () => SolanaAccounts;
  readonly send: (network: NetworkId, wire: string, signal: AbortSignal) => Promise<void>;
  /** Reads the chain (I5). */
  readonly observe: Rail['observe'];
}

/**
 * A transfer by a transaction of one's own on Solana (wire-formats section 4): tokens, or SOL for sends. The payer pays the fee, and the
 * rent of the payee's token account where there is none; a delegate's tokens are those of the wallet that it pays from. The payload is
 * seed 000's proof. The track holds the signed bytes (`wire`), their `signature` and the blockhash's bounds: what was journaled is what is
 * sent, as often as it takes; of a delegate also whose tokens they were (`delegatedFrom`).
 */
export function createTransferSvm({ keys, random, assets = REGISTERED, latestBlockhash, accounts, send, observe }: TransferSvmPorts): Rail {
  const isMissing = async ({ network, payee }: Terms, asset: Asset, signal: AbortSignal): Promise<boolean> =>
    (await accounts().programOf(network, await tokenAccountOf(payee, asset), signal)) === undefined;

  /** Lamports besides the amount: the fee, and rent, with what an escrow keeps for the rent of its recipient's account. */
  async function cost(terms: Terms, { create, reserve }: Creation, signal: AbortSignal): Promise<{ fee: bigint; rent: bigint }> {
    const bytes = assetOf(terms, assets).tokenProgram === TOKEN_2022 ? ACCOUNT_BYTES.extended : ACCOUNT_BYTES.plain;
    return { fee: FEE_LAMPORTS, rent: (create ? await accounts().rent(terms.network, bytes, signal) : 0n) + reserve };
  }

  async function requireLamports(terms: Terms, { limit, ...creation }: Creation & { limit: bigint | undefined }, signal: AbortSignal): Promise<void> {
    const [{ fee, rent }, held, own] = await Promise.all([cost(terms, creation, signal), accounts().lamports(terms.network, terms.payer, signal), accounts().rent(terms.network, 0, signal)]);
    if (limit !== undefined && fee + rent > limit) throw feeRisen(terms, fee + rent);
    // What stays behind has to be enough for the account itself, or the network refuses the transaction.
    const needed = fee + rent + own + (isCoin(terms) ? terms.amount : 0n);
    if (held >= needed) return;
    const write = (lamports: bigint) => `${formatUnits(lamports, 9)} SOL`;
    const what = rent > 0n ? `, ${write(rent)} of it as rent for the payee's new token account` : '';
    throw new BursarError('INSUFFICIENT_BALANCE', `The account ${terms.payer} holds ${write(held)} and needs ${write(needed)} to send this${what}.`);
  }

  return {
    id: 'transfer-svm',
    scheme: 'transfer',
    namespace: 'solana',
    flow: 'prepay',

    check(offer, asset) {
      requireWallet(offer.payee, asset);
      if (BigInt(offer.amount) > MAX_U64) throw new BursarError('NO_PAYABLE_OFFER', `It asks for ${offer.amount} base units, more than a Solana account can hold.`);
      return { payee: offer.payee };
    },

    async sign({ terms, offer, asset, account, now, signal, fees }) {
      requireSameTerms(terms, { offer, payee: offer.payee, asset, account });
      // Tokens of another wallet; fees, rent and coins are the account's own.
      const delegatedFrom = isCoin(terms) ? undefined : account.delegatedFrom;
      if (!isCoin(terms)) await requireTokenPayee(accounts(), terms, asset, signal);
      if (delegatedFrom !== undefined) await requireDelegation(accounts(), { terms, asset, source: await tokenAccountOf(delegatedFrom, asset) }, signal);
      const create = !isCoin(terms) && (await isMissing(terms, asset, signal));
      const reserve = isCoin(terms) ? 0n : reserveOf(offer);
      const [lifetime] = await Promise.all([latestBlockhash(terms.network, signal), requireLamports(terms, { create, reserve, limit: feeLimit(terms, fees) }, signal)]);

      // Two equal payments under one blockhash would be one transaction: the memo tells them apart.
      const memo = utf8ToBytes(bytesToHex(random(16)));
      const units = TRANSFER_UNITS + (create ? CREATE_UNITS : 0) + (reserve > 0n ? RESERVE_UNITS : 0);
      const transfer = isCoin(terms) ? [coinTransfer(terms)] : await tokenTransfer(terms, { asset, create, owner: delegatedFrom ?? terms.payer });
      const instructions = [...transfer, ...(reserve > 0n ? [coinTransfer({ ...terms, amount: baseUnits(reserve) })] : []), { programAddress: address(MEMO_PROGRAM), accounts: [], data: memo }];
      const { wire, signature } = await signSvm(keys, account, compileSvm({ feePayer: address(terms.payer), units, lifetime, instructions }));
      await verifyTransferSvm(wire, terms, { memo, blockhash: lifetime.blockhash, units, create, reserve, ...(delegatedFrom !== undefined && { delegatedFrom }) }, assets);
      return {
        payloadText: JSON.stringify({ signature, timestamp: new Date(now).toISOString(), amount: terms.amount.toString(), from: terms.payer }),
        track: { kind: 'transfer-svm', signature, wire, ...lifetimeTrack(lifetime, now), ...(delegatedFrom !== undefined && { delegatedFrom }) },
        outstandingUntil: now + BLOCKHASH_LIFETIME_MS,
      };
    },

    observe,
    submit: (terms, track, signal) => submitUntilCertain({ look: () => observe(terms, track, signal), send: () => send(terms.network, track['wire'] ?? '', signal), signal }),

    async fees(terms, signal, offer) {
      const create = !isCoin(terms) && (await isMissing(terms, assetOf(terms, assets), signal));
      const { fee, rent } = await cost(terms, { create, reserve: offer && !isCoin(terms) ? reserveOf(offer) : 0n }, signal);
      return [{ asset: coinOf(terms.network), units: baseUnits(fee + rent), ...(rent > 0n && { rent: baseUnits(rent) }) }];
    },
  };
}

/** Throws `PAYEE_INVALID` where the payee is a token account: what is sent to a token account of a token account is lost. */
async function requireTokenPayee(accounts: SolanaAccounts, { network, payee }: Terms, asset: Asset, signal: AbortSignal): Promise<void> {
  if (asset.tokenProgram === TOKEN_2022) await requirePlainMint(accounts, asset, signal);
  const program = await accounts.programOf(network, payee, signal);
  if (program === SPL_TOKEN || program === TOKEN_2022) throw new BursarError('PAYEE_INVALID', `It wants to be paid at ${payee}, which is a token account and no wallet.`);
}

function assetOf({ network, asset }: Terms, assets: Assets): Asset {
  const found = asset === coinOf(network).address ? coinOf(network) : assets.find(network, asset);
  if (!found) throw new BursarError('ASSET_UNKNOWN', `The token ${asset} is not in the registry.`);
  return found;
}

const coinTransfer = ({ payer, payee, amount }: Terms): Instruction => {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, 2, true);
  view.setBigUint64(4, amount, true);
  return {
    programAddress: address(SYSTEM_PROGRAM),
    accounts: [
      { address: address(payer), role: AccountRole.WRITABLE_SIGNER },
      { address: address(payee), role: AccountRole.WRITABLE },
    ],
    data,
  };
};

async function tokenTransfer(terms: Terms, { asset, create, owner }: { asset: Asset; create: boolean; owner: string }): Promise<Instruction[]> {
  const { payer, payee, amount } = terms;
  const tokenProgram = address(tokenProgramOf(asset));
  const mint = address(terms.asset);
  // Signers that sign nothing: they mark the account as one whose signature is needed.
  const authority = createNoopSigner(address(payer));
  const [source, destination]: [Address, Address] = await Promise.all([tokenAccountOf(owner, asset), tokenAccountOf(payee, asset)]);
  const transfer = getTransferCheckedInstruction({ source, mint, destination, authority, amount, decimals: asset.decimals }, { programAddress: tokenProgram });
  if (!create) return [transfer];
  return [getCreateAssociatedTokenIdempotentInstruction({ payer: authority, ata: destination, owner: address(payee), mint, tokenProgram }), transfer];
}
