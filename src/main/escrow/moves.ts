import { setTimeout as wait } from 'node:timers/promises';
import { address, createNoopSigner } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import type { Offer } from '../../core/challenges/dialect.ts';
import { ORDER } from '../../core/challenges/order.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Account, Clock, Keys, Observation, RandomBytes, Rail, Track } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { coinOf } from '../../core/registry/coins.ts';
import type { NetworkId } from '../../core/registry/networks.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { BaseUnits } from '../../shared/money/money.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import type { Facilitators } from '../adapters/facilitators/facilitators.ts';
import { createClientSettled } from '../rails/client-settled.ts';
import { createExactEvm } from '../rails/exact-evm.ts';
import { createExactSvm } from '../rails/exact-svm.ts';
import { createTransferEvm } from '../rails/transfer-evm.ts';
import { createTransferSvm } from '../rails/transfer-svm.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from '../rails/spl-transfer.ts';
import { requireFacts } from '../rails/offer-terms.ts';
import { budgetInstructions, instructionsOf, plainFacts, readWire, same, sameSet } from '../rails/svm-message.ts';
import { compileSvm, signSvm } from '../rails/svm-transaction.ts';

/** How long an authorization to empty an escrow lives (s): until it is dead, no other one is signed (I10). */
const LIFETIME_S = 300;
const CREATE_UNITS = 60_000;
/** A plain token account, the smallest there is, and the fee of the transaction that makes it. */
const TOKEN_ACCOUNT_BYTES = 165;
const FEE_LAMPORTS = 5_001n;
/** Longest time that one try watches the chain. */
const SUBMIT_MS = 45_000;
const CREATED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 400;

/** The whole of an escrow, on its way to one address. */
export interface Move {
  readonly asset: Asset;
  readonly units: BaseUnits;
  /** The escrow. */
  readonly account: Account;
  readonly to: string;
  readonly purpose: 'claim' | 'refund';
}

/** A move that was signed. What `track` holds is all that a later run needs to go on with it. */
export interface SignedMove {
  readonly track: Track;
  /** When it can no longer happen by its own terms (ms). */
  readonly until: number;
}

/** Emptying escrows: x402 `exact` payments by the escrow's key, which a facilitator settles; where none answers, the escrow's own coin does it: a reserve on Solana, and on EVM networks what somebody sends to it. Neither sender nor recipient needs the network's coin. */
export interface Moves {
  /** Signs, and decodes again what was signed (I2). Nothing leaves the process but, on Solana, the making of a missing token account. Throws what the rails throw. */
  sign(move: Move, keys: Keys, options: { readonly notAfter?: number }, signal: AbortSignal): Promise<SignedMove>;
  /** Sends the signed bytes until the chain shows what became of them, for half a minute at most. Never throws. */
  submit(move: Move, track: Track, signal: AbortSignal): Promise<Observation>;
  observe(move: Move, track: Track, signal: AbortSignal): Promise<Observation>;
}

export interface MovesPorts {
  readonly assets: Assets;
  readonly random: RandomBytes;
  readonly chains: () => Chains;
  readonly facilitators: Facilitators;
  readonly clock: Pick<Clock, 'now'>;
}

export function createMoves({ assets, random, chains, facilitators, clock }: MovesPorts): Moves {
  function railOf(asset: Asset, keys: Keys): Rail {
    const rail = asset.network.startsWith('eip155:')
      ? createExactEvm({ keys, random, assets, observe: (...request) => chains().observeEip3009(...request) })
      : createExactSvm({ keys, random, assets, latestBlockhash: (...request) => chains().latestBlockhash(...request), accounts: () => chains().solanaAccounts, observe: (...request) => chains().observeExactSvm(...request) });
    return createClientSettled(rail, facilitators);
  }

  /** What its own reserve pays: the recipient's token account, where there is none. */
  async function ensureTokenAccount({ asset, account, to }: Move, keys: Keys, signal: AbortSignal): Promise<void> {
    const tokenAccount = await tokenAccountOf(to, asset);
    const exists = async () => (await chains().solanaAccounts.programOf(asset.network, tokenAccount, signal)) !== undefined;
    if (await exists()) return;
    const [lifetime, held, rent] = await Promise.all([
      chains().latestBlockhash(asset.network, signal),
      chains().solanaAccounts.lamports(asset.network, account.address, signal),
      chains().solanaAccounts.rent(asset.network, TOKEN_ACCOUNT_BYTES, signal),
    ]);
    if (held < rent + FEE_LAMPORTS) {
      throw new BursarError('INSUFFICIENT_BALANCE', `What lay in escrow for a new token account is used up, and ${to} has none for ${asset.symbol}.`, { hint: `Nothing was moved. An address that holds ${asset.symbol} already, such as the one that was given before, needs none.` });
    }
    const create = getCreateAssociatedTokenIdempotentInstruction(
      { payer: createNoopSigner(address(account.address)), ata: tokenAccount, owner: address(to), mint: address(asset.address), tokenProgram: address(tokenProgramOf(asset)) },
      { programAddress: address(ASSOCIATED_TOKEN_PROGRAM) },
    );
    const { wire } = await signSvm(keys, account, compileSvm({ feePayer: address(account.address), units: CREATE_UNITS, lifetime, instructions: [create] }));
    requireCreation(wire, { payer: account.address, tokenAccount, owner: to, asset, blockhash: lifetime.blockhash });
    const until = performance.now() + CREATED_WITHIN_MS;
    for (let sent = false; performance.now() < until; ) {
      if (!sent) await chains().sendSolana(asset.network, wire, signal);
      sent = true;
      if (await exists()) return;
      await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
    throw new BursarError('CHAIN_UNREACHABLE', `The recipient's token account ${tokenAccount} was not made in time.`);
  }

  /** Without any facilitator: the escrow pays the fee itself, from its reserve on Solana, and on EVM networks from coin that was sent to it. */
  const ownRail = (asset: Asset, keys: Keys): Rail =>
    asset.network.startsWith('eip155:') ? createTransferEvm({ keys, transactions: () => chains().evmTransactions, observe: (...request) => chains().observeTransferEvm(...request) }) : ownSvm(keys);

  const ownSvm = (keys: Keys): Rail =>
    createTransferSvm({
      keys,
      random,
      assets,
      latestBlockhash: (...request) => chains().latestBlockhash(...request),
      accounts: () => chains().solanaAccounts,
      send: (...request) => chains().sendSolana(...request),
      observe: (...request) => chains().observeTransferSvm(...request),
    });

  /** How a signed move goes on its way, by what was journaled of it. */
  const signedRail = (move: Move, track: Track): { readonly rail: Rail; readonly terms: Terms } =>
    track['kind'] === 'transfer-svm' || track['kind'] === 'transfer-evm' ? { rail: ownRail(move.asset, noKeys), terms: termsOf(move, 'transfer') } : { rail: railOf(move.asset, noKeys), terms: termsOf(move, 'exact') };

  const noKeys: Keys = { locked: true, accounts: () => [], use: () => Promise.reject(new BursarError('INTERNAL', 'An escrow was signed for where it was only looked at.')) };

  return {
    async sign(move, keys, { notAfter }, signal) {
      const { asset, account } = move;
      const signBy = async (rail: Rail, scheme: Scheme): Promise<SignedMove> => {
        const { track, outstandingUntil } = await rail.sign({ terms: termsOf(move, scheme), offer: offerOf(move, scheme, notAfter), asset, account, now: clock.now(), signal });
        return { track, until: outstandingUntil };
      };
      if (asset.network.startsWith('eip155:')) {
        if ((await chains().balance(coinOf(asset.network), account.address, { fresh: true, signal })) === 0n) return signBy(railOf(asset, keys), 'exact');
        try {
          return await signBy(ownRail(asset, keys), 'transfer');
        } catch (error) {
          // Anybody could send it a little.
          if (!isBursarError(error, 'INSUFFICIENT_BALANCE')) throw error;
          return signBy(railOf(asset, keys), 'exact');
        }
      }
      try {
        await facilitators.feePayer(asset.network, signal);
      } catch (error) {
        if (isBursarError(error, 'FACILITATOR_ERROR')) return signBy(ownRail(asset, keys), 'transfer');
        throw error;
      }
      await ensureTokenAccount(move, keys, signal);
      return signBy(railOf(asset, keys), 'exact');
    },
    async submit(move, track, signal) {
      const { rail, terms } = signedRail(move, track);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(SUBMIT_MS)]);
      return (await rail.submit?.(terms, track, limit)) ?? { state: 'unreachable', why: 'It cannot be sent.' };
    },
    observe(move, track, signal) {
      const { rail, terms } = signedRail(move, track);
      return rail.observe(terms, track, signal);
    },
  };
}

type Scheme = 'exact' | 'transfer';

const termsOf = ({ asset, units, account, to, purpose }: Move, scheme: Scheme): Terms => ({
  client: OWN_NAME,
  upstream: OWN_NAME,
  tool: purpose,
  argumentsHash: '',
  dialect: ORDER,
  scheme,
  network: asset.network satisfies NetworkId,
  asset: asset.address,
  amount: units,
  payee: to,
  payer: account.address,
  flow: 'prepay',
});

const offerOf = ({ asset, units, to }: Move, scheme: Scheme, notAfter: number | undefined): Offer => ({
  scheme,
  network: asset.network,
  asset: asset.address,
  amount: units.toString(),
  payee: to,
  maxTimeoutSeconds: LIFETIME_S,
  ...(notAfter !== undefined && { expiresAt: notAfter }),
  ...(scheme === 'exact' && { settlement: 'client' as const }),
  x402Version: 2,
  paymentFlow: 'authorization',
  extra: new Map(),
  source: null,
});

/** I2 for the making of a token account: the transaction can do nothing else. Throws `PROOF_MISMATCH`. */
function requireCreation(wire: string, { payer, tokenAccount, owner, asset, blockhash }: { payer: string; tokenAccount: string; owner: string; asset: Asset; blockhash: string }): void {
  const { message } = readWire(wire);
  const program = tokenProgramOf(asset);
  const wanted = [...budgetInstructions(CREATE_UNITS), { program: ASSOCIATED_TOKEN_PROGRAM, accounts: [payer, tokenAccount, owner, asset.address, SYSTEM_PROGRAM, program], data: [1] }];
  const found = instructionsOf(message);
  requireFacts({
    ...plainFacts(message, blockhash),
    'set of signers': message.header.numSignerAccounts === 1 && message.staticAccounts[0] === payer,
    'set of accounts': sameSet(message.staticAccounts.slice(1), [tokenAccount, owner, asset.address, SYSTEM_PROGRAM, program, ASSOCIATED_TOKEN_PROGRAM, wanted[0]?.program ?? '']),
    'number of instructions': found.length === wanted.length,
    creation: wanted.every((instruction, index) => same(found[index], instruction)),
  });
}
