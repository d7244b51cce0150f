import { getBase64Encoder, getCompiledTransactionMessageDecoder } from '@solana/kit';
import { SOLANA_GENESIS_HASH } from '../networks.ts';
import { accountMethods } from './account-methods.ts';
import type { Bank } from './bank.ts';
import type { Faucet } from './faucet.ts';
import { feeOf } from './fees.ts';
import { DEFAULT_COMMITMENT, withContext, type RpcMethod, type RpcMethods } from './rpc-context.ts';
import { addressAt, configAt, textAt, wholeAt } from './rpc-params.ts';
import { transactionMethods } from './transaction-methods.ts';

const SLOTS_IN_EPOCH = 432_000n;

/** Every method of the sandbox's Solana node, by name. */
export const rpcMethods = (bank: Bank, faucet: Faucet): RpcMethods => ({
  ...clusterMethods(bank),
  ...accountMethods(bank),
  ...transactionMethods(bank),
  requestAirdrop: (params) => faucet.airdrop(addressAt(params, 0), wholeAt(params, 1)),
});

function clusterMethods(bank: Bank): RpcMethods {
  const slot: RpcMethod = (params) => bank.slotAt(configAt(params, 0).commitment ?? DEFAULT_COMMITMENT);
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
    getGenesisHash: () => SOLANA_GENESIS_HASH,
    getSlot: slot,
    getBlockHeight: slot,
    getFirstAvailableBlock: () => 0,
    minimumLedgerSlot: () => 0,
    getTransactionCount: () => bank.transactionCount,
    getBlockTime: (params) => bank.timeOf(wholeAt(params, 0)),
    getRecentPrioritizationFees: () => [],
    getEpochInfo: (params) => {
      const absoluteSlot = bank.slotAt(configAt(params, 0).commitment ?? DEFAULT_COMMITMENT);
      return {
        absoluteSlot,
        blockHeight: absoluteSlot,
        epoch: absoluteSlot / SLOTS_IN_EPOCH,
        slotIndex: absoluteSlot % SLOTS_IN_EPOCH,
        slotsInEpoch: SLOTS_IN_EPOCH,
        transactionCount: bank.transactionCount,
      };
    },
    getLatestBlockhash: (params) => {
      const { commitment } = configAt(params, 0);
      return withContext(bank, commitment, bank.latestBlockhash(commitment ?? DEFAULT_COMMITMENT));
    },
    isBlockhashValid: (params) => withContext(bank, configAt(params, 1).commitment, bank.isBlockhashUsable(textAt(params, 0))),
    getFeeForMessage: (params) => {
      const bytes = getBase64Encoder().encode(textAt(params, 0));
      const message = getCompiledTransactionMessageDecoder().decode(bytes);
      const fee = bank.isBlockhashUsable(message.lifetimeToken) ? feeOf(message) : null;
      return withContext(bank, configAt(params, 1).commitment, fee);
    },
  };
}
