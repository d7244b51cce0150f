import type { Hex } from 'viem';
import { sign as signHash, signTransaction } from 'viem/accounts';
import { bytesToHex, decodeFunctionData, encodeFunctionData, hashTypedData, keccak256, parseAbi, parseTransaction, recoverAddress, recoverTypedDataAddress, serializeTransaction } from 'viem/utils';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { baseUnits, formatUnits } from '../../shared/money/money.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Cancel, Keys, Track } from '../../core/ports.ts';
import { REGISTERED, type Assets } from '../../core/registry/assets.ts';
import { coinOf } from '../../core/registry/coins.ts';
import { evmChainId, type NetworkId } from '../../core/registry/networks.ts';
import type { EvmConditions, EvmTransactions } from '../adapters/chain/evm-transactions.ts';
import { CANCEL_AUTHORIZATION } from './eip3009.ts';
import { domainOf } from './exact-evm-decode.ts';
import { requireFacts } from './offer-terms.ts';

/** More gas than `cancelAuthorization` takes on any known token, proxies included; what is not used is not paid. */
const GAS_LIMIT = 120_000n;
/** About the size of the signed transaction: a data fee depends on little else. */
const LIKE_IT = `0x02${'ab'.repeat(340)}` as Hex;
const NONCE = /^0x[0-9a-f]{64}$/;
const abi = parseAbi(['function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)']);

export interface CancelEip3009Ports {
  readonly keys: Keys;
  /** Tokens that were ever paid with; the registry alone where none is given. */
  readonly assets?: Assets;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  readonly transactions: () => EvmTransactions;
}

/**
 * EIP-3009 `cancelAuthorization`: a second signature over the nonce, submitted by the paying account itself. It moves no token; it costs
 * the network's fee. Whether it was in time the chain alone says: the settlement may have come first.
 */
export function createCancelEip3009({ keys, assets = REGISTERED, transactions }: CancelEip3009Ports): Cancel {
  async function cost({ network, payer }: Terms, signal: AbortSignal) {
    const [conditions, dataFee] = await Promise.all([transactions().conditions(network, payer, signal), transactions().dataFee(network, LIKE_IT, signal)]);
    // The data fee follows another chain's prices, so that twice of it is kept ready.
    const maxFee = GAS_LIMIT * feePerGas(conditions) + 2n * dataFee;
    return { conditions, dataFee, maxFee };
  }

  /** viem takes a key as hex text, which cannot be wiped; it lives for this call alone. */
  const withKey = <T>(accountId: string, work: (privateKey: Hex) => Promise<T>): Promise<T> =>
    keys.use(accountId, (privateKey) => work(bytesToHex(privateKey))).catch((error: unknown) => {
      if (isBursarError(error)) throw error;
      throw new BursarError('SIGNING_FAILED', 'The cancellation could not be signed.');
    });

  return {
    async cost(terms, signal) {
      const { conditions, maxFee } = await cost(terms, signal);
      const { symbol: coin, decimals } = coinOf(terms.network);
      return { coin, decimals, maxFee: baseUnits(maxFee), balance: baseUnits(conditions.balance) };
    },

    async sign({ terms, track, account, maxFee: allowed, signal }) {
      requireFacts({ payer: account.address === terms.payer });
      const { conditions, dataFee, maxFee: wanted } = await cost(terms, signal);
      // The base fee moves with every block; less headroom than wanted is fine, as long as the next blocks take it.
      const maxFee = wanted < allowed ? wanted : allowed;
      const maxFeePerGas = (maxFee - 2n * dataFee) / GAS_LIMIT;
      if (maxFeePerGas < conditions.baseFee + conditions.tip) throw new BursarError('APPROVAL_STALE', `The fee has risen since it was shown; it is ${write(wanted, terms.network)} now.`);
      if (conditions.balance < maxFee) {
        const holds = `The account ${terms.payer} holds ${write(conditions.balance, terms.network)}, and the cancellation may cost ${write(maxFee, terms.network)}.`;
        throw new BursarError('INSUFFICIENT_BALANCE', holds, { hint: 'Send some of the coin to that account, or wait until the authorization has expired: it then ends by itself.' });
      }

      const hash = hashTypedData(typedData(terms, nonceOf(track), assets));
      const signature = await withKey(account.id, (privateKey) => signHash({ hash, privateKey, to: 'object' }));
      const data = callData(terms, nonceOf(track), signature);
      const gas = await transactions().estimateGas(terms.network, { from: terms.payer, to: terms.asset, data }, signal);
      if (gas > GAS_LIMIT) throw new BursarError('SIGNING_FAILED', `The token wants ${gas} gas for a cancellation, which is more than any known one.`);
      const transaction = {
        type: 'eip1559',
        chainId: evmChainId(terms.network),
        to: terms.asset as Hex,
        value: 0n,
        data,
        nonce: conditions.nonce,
        gas: GAS_LIMIT,
        maxFeePerGas,
        maxPriorityFeePerGas: conditions.tip,
      } as const;
      const raw = await withKey(account.id, (privateKey) => signTransaction({ privateKey, transaction }));
      await verifyCancellation(raw, terms, { nonce: nonceOf(track), maxGasFee: maxFee - 2n * dataFee }, assets);
      return { transaction: keccak256(raw), maxFee: baseUnits(maxFee), send: (sending) => transactions().send(terms.network, raw, sending) };
    },
  };
}

/**
 * I2 for a cancellation: decodes the transaction that will leave and holds it against the payment; it can do nothing but cancel this one
 * authorization, for no more than this fee (wei). Throws `PROOF_MISMATCH`.
 */
export async function verifyCancellation(raw: Hex, terms: Terms, { nonce, maxGasFee }: { readonly nonce: Hex; readonly maxGasFee: bigint }, assets: Assets = REGISTERED): Promise<void> {
  const transaction = parseTransaction(raw);
  if (transaction.type !== 'eip1559') throw new BursarError('PROOF_MISMATCH', 'The cancellation is a transaction of another type than was meant.');
  const { chainId, to, value = 0n, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas, nonce: place, r = '0x', s = '0x', yParity = 0 } = transaction;
  // Built from the members that are looked at here alone: with any other one the signature is somebody else's.
  const unsigned = serializeTransaction({ type: 'eip1559', chainId, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas, nonce: place });
  const sender = await recoverAddress({ hash: keccak256(unsigned), signature: { r, s, yParity } });
  requireFacts({
    network: chainId === evmChainId(terms.network),
    token: to?.toLowerCase() === terms.asset.toLowerCase(),
    value: value === 0n,
    sender: sender.toLowerCase() === terms.payer.toLowerCase(),
    fee: gas * maxFeePerGas <= maxGasFee,
  });
  const [authorizer, cancelled, v, ...rs] = decodeCall(data);
  const signature = { r: rs[0], s: rs[1], v: BigInt(v) };
  const signer = await recoverTypedDataAddress({ ...typedData(terms, nonce, assets), signature });
  requireFacts({
    authorizer: authorizer.toLowerCase() === terms.payer.toLowerCase(),
    nonce: cancelled === nonce,
    signer: signer.toLowerCase() === terms.payer.toLowerCase(),
    data: data === callData(terms, nonce, signature),
  });
}

function decodeCall(data: Hex) {
  try {
    return decodeFunctionData({ abi, data }).args;
  } catch (cause) {
    throw new BursarError('PROOF_MISMATCH', 'The cancellation calls another function than was meant.', { cause });
  }
}

const typedData = (terms: Terms, nonce: Hex, assets: Assets) =>
  ({ domain: domainOf(terms, assets), types: CANCEL_AUTHORIZATION, primaryType: 'CancelAuthorization', message: { authorizer: terms.payer as Hex, nonce } }) as const;

const callData = (terms: Terms, nonce: Hex, { r, s, v }: { r: Hex; s: Hex; v?: bigint | undefined }): Hex =>
  encodeFunctionData({ abi, functionName: 'cancelAuthorization', args: [terms.payer as Hex, nonce, Number(v), r, s] });

/** The base fee can double several times over before this is too little. */
const feePerGas = ({ baseFee, tip }: EvmConditions): bigint => 2n * baseFee + tip;

function nonceOf({ nonce = '' }: Track): Hex {
  if (!NONCE.test(nonce)) throw new BursarError('DATABASE_CORRUPT', 'The payment cannot be cancelled, because its row in the journal cannot be read.');
  return nonce as Hex;
}

const write = (wei: bigint, network: NetworkId): string => {
  const { symbol, decimals } = coinOf(network);
  return `${formatUnits(wei, decimals, 2)} ${symbol}`;
};
