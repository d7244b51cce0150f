import type { Hex } from 'viem';
import { concat, encodeAbiParameters, size, toFunctionSelector } from 'viem/utils';
import { z } from 'zod';
import type { NetworkId } from '../../../core/registry/networks.ts';
import type { Endpoint } from './endpoint.ts';
import type { Pool } from './pool.ts';

/** What a transaction of an account takes now. Fees are in wei per gas. */
export interface EvmConditions {
  /** The account's next nonce, transactions that wait included. */
  readonly nonce: number;
  /** The head at which it had not been used. */
  readonly block: bigint;
  readonly baseFee: bigint;
  readonly tip: bigint;
  /** What the account holds of the network's coin (wei). */
  readonly balance: bigint;
}

/** What sending a transaction of one's own takes. All throw `CHAIN_UNREACHABLE`, with the server's words where it refuses. */
export interface EvmTransactions {
  conditions(network: NetworkId, from: string, signal: AbortSignal): Promise<EvmConditions>;
  estimateGas(network: NetworkId, call: { readonly from: string; readonly to: string; readonly data: Hex; readonly value?: Hex }, signal: AbortSignal): Promise<bigint>;
  /** What an OP Stack network such as Base takes on top for posting the transaction (wei); 0 on others. */
  dataFee(network: NetworkId, raw: Hex, signal: AbortSignal): Promise<bigint>;
  /** Hands a signed transaction to the network. Sending the same bytes twice is one transaction. */
  send(network: NetworkId, raw: Hex, signal: AbortSignal): Promise<void>;
}

const quantity = z.string().regex(/^0x[0-9a-f]{1,64}$/i).transform((text) => BigInt(text));
const hex = z.string().regex(/^0x[0-9a-f]*$/i);
const feeBlock = z.object({ number: quantity, baseFeePerGas: quantity });

/** The predeployed GasPriceOracle of the OP Stack. */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F';
const GET_L1_FEE = toFunctionSelector('getL1Fee(bytes)');

export function createEvmTransactions(pool: (network: NetworkId) => Pool): EvmTransactions {
  return {
    conditions: (network, from, signal) =>
      pool(network).first(async (endpoint) => {
        const { number, baseFeePerGas } = await endpoint.ask('eth_getBlockByNumber', ['latest', false], feeBlock, signal);
        const tip = await endpoint.ask('eth_maxPriorityFeePerGas', [], quantity, signal);
        const nonce = await endpoint.ask('eth_getTransactionCount', [from, 'pending'], quantity, signal);
        return { nonce: Number(nonce), block: number, baseFee: baseFeePerGas, tip, balance: await endpoint.ask('eth_getBalance', [from, 'latest'], quantity, signal) };
      }),

    estimateGas: (network, call, signal) => pool(network).first((endpoint) => endpoint.ask('eth_estimateGas', [call], quantity, signal)),
    dataFee: (network, raw, signal) => pool(network).first((endpoint) => dataFee(endpoint, raw, signal)),
    send: (network, raw, signal) => pool(network).first(async (endpoint) => void (await endpoint.ask('eth_sendRawTransaction', [raw], hex, signal))),
  };
}

async function dataFee(endpoint: Endpoint, raw: Hex, signal: AbortSignal): Promise<bigint> {
  const data = concat([GET_L1_FEE, encodeAbiParameters([{ type: 'bytes' }], [raw])]);
  const answer = await endpoint.ask('eth_call', [{ to: GAS_PRICE_ORACLE, data }, 'latest'], hex, signal);
  return size(answer as Hex) === 32 ? BigInt(answer) : 0n;
}
