import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { signTransaction } from 'viem/accounts';
import { bytesToHex, encodeFunctionData, getAddress, isAddress, keccak256, numberToHex, parseAbi, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { baseUnits, formatUnits } from '../../shared/money/money.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Rail } from '../../core/ports.ts';
import { coinOf, isCoin } from '../../core/registry/coins.ts';
import { evmChainId } from '../../core/registry/networks.ts';
import type { EvmTransactions } from '../adapters/chain/evm-transactions.ts';
import { payeeOf } from './evm-payee.ts';
import { feeLimit, feeRisen } from './fee-limit.ts';
import { requireFacts, requireSameTerms } from './offer-terms.ts';
import { createTurns } from './one-at-a-time.ts';
import { submitUntilCertain } from './submit.ts';

/** More gas than a transfer of any known token takes, proxies included; what is not used is not paid. */
const GAS_LIMIT = 150_000n;
/** By so much at most a transaction's gas limit is below that, at random: a transfer has no member that could be its own otherwise. */
const GAS_SPREAD = 1n << 15n;
/** And its highest fee by this part of it at most. */
const FEE_SPREAD = 64n;
/** About the size of the signed transaction: a data fee depends on little else. */
const LIKE_IT = `0x02${'ab'.repeat(180)}` as Hex;
/** The base fee moves with every block: what is shown is a quarter more than what is signed a moment later. */
const SHOWN_PERCENT = 125n;
/** Shown to the owner only: a transaction of an account never expires by itself, its nonce decides (I5). */
const EXPECTED_WITHIN_MS = 10 * 60_000;
const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

export interface TransferEvmPorts {
  readonly keys: Keys;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  readonly transactions: () => EvmTransactions;
  /** Reads the chain (I5). */
  readonly observe: Rail['observe'];
}

/**
 * A transfer by a transaction of one's own on `eip155` networks: ERC-20 tokens, or the network's coin for sends. One is under way per
 * account at a time. The track holds the signed bytes (`raw`), their hash, the account's nonce and the head's number: what was journaled is what is sent.
 */
export function createTransferEvm({ keys, transactions, observe }: TransferEvmPorts): Rail {
  const turns = createTurns();
  const turnOf = ({ network, payer }: Terms): string => `${network} ${payer}`;

  async function cost(terms: Terms, signal: AbortSignal) {
    const { network, payer } = terms;
    const [conditions, dataFee] = await Promise.all([transactions().conditions(network, payer, signal), transactions().dataFee(network, LIKE_IT, signal)]);
    const maxFeePerGas = 2n * conditions.baseFee + conditions.tip;
    // The data fee follows another chain's prices, so that twice of it is kept ready.
    return { conditions, dataFee, maxFee: GAS_LIMIT * maxFeePerGas + 2n * dataFee };
  }

  async function signed(terms: Terms, { accountId, limit }: { accountId: string; limit: bigint | undefined }, signal: AbortSignal) {
    const wanted = await cost(terms, signal);
    const { conditions, dataFee } = wanted;
    // Less headroom than wanted is fine, as long as the next blocks take it.
    const maxFee = limit !== undefined && limit < wanted.maxFee ? limit : wanted.maxFee;
    const most = (maxFee - 2n * dataFee) / GAS_LIMIT;
    const least = conditions.baseFee + conditions.tip;
    if (most < least) throw feeRisen(terms, wanted.maxFee);
    // Equal bytes would be one transaction: two payments whose nonce and fees are the same would both count it as theirs.
    const maxFeePerGas = most - randomBelow((most - least) / FEE_SPREAD + 1n);
    const gasLimit = GAS_LIMIT - randomBelow(GAS_SPREAD);
    const coins = maxFee + (isCoin(terms) ? terms.amount : 0n);
    if (conditions.balance < coins) throw poor(terms, conditions.balance, coins);
    const call = callOf(terms);
    const gas = await transactions().estimateGas(terms.network, { from: terms.payer, to: call.to, data: call.data, value: numberToHex(call.value) }, signal);
    if (gas > GAS_LIMIT - GAS_SPREAD) throw new BursarError('SIGNING_FAILED', `The transfer wants ${gas} gas, which is more than any known one.`);
    const transaction = { type: 'eip1559', chainId: evmChainId(terms.network), ...call, nonce: conditions.nonce, gas: gasLimit, maxFeePerGas, maxPriorityFeePerGas: conditions.tip } as const;
    // viem takes a key as hex text, which cannot be wiped; it lives for this call alone.
    const raw = await keys
      .use(accountId, (privateKey) => signTransaction({ privateKey: bytesToHex(privateKey), transaction }))
      .catch((error: unknown) => {
        if (isBursarError(error)) throw error;
        throw new BursarError('SIGNING_FAILED', `The account ${terms.payer} could not sign.`);
      });
    await verifyTransferEvm(raw, terms, { nonce: conditions.nonce, maxGasFee: gasLimit * maxFeePerGas });
    return { raw, ...conditions };
  }

  return {
    id: 'transfer-evm',
    scheme: 'transfer',
    namespace: 'eip155',
    flow: 'prepay',
    check: (offer, asset) => ({ payee: payeeOf(offer, asset) }),

    async sign({ terms, offer, asset, account, now, signal, fees }) {
      requireSameTerms(terms, { offer, payee: payeeOf(offer, asset), asset, account });
      const turn = turnOf(terms);
      await turns.take(turn, signal);
      try {
        const { raw, nonce, block } = await signed(terms, { accountId: account.id, limit: feeLimit(terms, fees) }, signal);
        const transaction = keccak256(raw);
        return {
          payloadText: JSON.stringify({ signature: transaction, timestamp: new Date(now).toISOString(), amount: terms.amount.toString(), from: terms.payer }),
          track: { kind: 'transfer-evm', transaction, raw, nonce: String(nonce), block: String(block), signedAt: String(Math.floor(now / 1000)) },
          outstandingUntil: now + EXPECTED_WITHIN_MS,
        };
      } catch (error) {
        turns.end(turn);
        throw error;
      }
    },

    observe,
    submit: (terms, track, signal) =>
      turns.keep(turnOf(terms), () =>
        submitUntilCertain({ look: () => observe(terms, track, signal), send: () => transactions().send(terms.network, (track['raw'] ?? '0x') as Hex, signal), signal }),
      ),

    async fees(terms, signal) {
      const { maxFee } = await cost(terms, signal);
      return [{ asset: coinOf(terms.network), units: baseUnits((maxFee * SHOWN_PERCENT) / 100n) }];
    },
  };
}

/**
 * I2 for a transfer of one's own: decodes the transaction that will leave; it can do nothing but move this amount of this token to this
 * payee, for no more than this fee (wei). Throws `PROOF_MISMATCH`.
 */
export async function verifyTransferEvm(raw: Hex, terms: Terms, { nonce: wantedNonce, maxGasFee }: { readonly nonce: number; readonly maxGasFee: bigint }): Promise<void> {
  const transaction = parseTransaction(raw);
  if (transaction.type !== 'eip1559') throw new BursarError('PROOF_MISMATCH', 'The transfer is a transaction of another type than was meant.');
  const { chainId, to, value = 0n, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas, nonce = 0, r = '0x', s = '0x', yParity = 0 } = transaction;
  // Built from the members that are looked at here alone: with any other one the signature is somebody else's.
  const unsigned = serializeTransaction({ type: 'eip1559', chainId, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas, nonce });
  const sender = await recoverAddress({ hash: keccak256(unsigned), signature: { r, s, yParity } });
  const wanted = callOf(terms);
  requireFacts({
    network: chainId === evmChainId(terms.network),
    recipient: to?.toLowerCase() === wanted.to.toLowerCase(),
    value: value === wanted.value,
    transfer: data === wanted.data,
    sender: sender.toLowerCase() === terms.payer.toLowerCase(),
    nonce: nonce === wantedNonce,
    fee: gas * maxFeePerGas <= maxGasFee,
  });
}

/** Even up to `limit` of 2^64. */
const randomBelow = (limit: bigint): bigint => BigInt(`0x${randomBytes(16).toString('hex')}`) % limit;

/** What the transaction does. */
function callOf(terms: Terms): { readonly to: Hex; readonly value: bigint; readonly data: Hex } {
  if (!isAddress(terms.payee, { strict: false })) throw new BursarError('PAYEE_INVALID', `${terms.payee.slice(0, 80)} is no valid address.`);
  const payee = getAddress(terms.payee);
  if (isCoin(terms)) return { to: payee, value: terms.amount, data: '0x' };
  return { to: terms.asset as Hex, value: 0n, data: encodeFunctionData({ abi, functionName: 'transfer', args: [payee, terms.amount] }) };
}

function poor({ payer, network }: Terms, holds: bigint, needs: bigint): BursarError {
  const { symbol, decimals } = coinOf(network);
  const write = (wei: bigint) => `${formatUnits(wei, decimals, 2)} ${symbol}`;
  return new BursarError('INSUFFICIENT_BALANCE', `The account ${payer} holds ${write(holds)} and needs up to ${write(needs)} to send this, the network's fee included.`);
}
