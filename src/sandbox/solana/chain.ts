import { createHash } from 'node:crypto';
import { isAddress } from '@solana/kit';
import { BursarError } from '../../shared/errors/errors.ts';
import { Bank } from './bank.ts';
import { openFaucet, usdcAccountOf } from './faucet.ts';
import { createRpcFaults, type RpcFaults } from './rpc-faults.ts';
import { rpcMethods } from './rpc-methods.ts';
import { serveRpc } from './rpc-server.ts';
import { keepSaving, restoreBank } from './store.ts';
import { readTokenAccount } from './token-accounts.ts';

/** What a funded account gets to pay its own fees with: 1 SOL. */
const GAS_GIFT = 1_000_000_000n;
const DEFAULT_SLOT_MS = 400;

/** The running Solana node. */
export interface SolanaChainOptions {
  /** How long a slot takes; 400 ms as on the real network. */
  readonly slotMs?: number;
  /** The folder that keeps the state across restarts; without it, it is lost at the end. */
  readonly folder?: string;
  /** Whether RPC faults can be switched on. */
  readonly faults?: boolean;
}

/** The running Solana node. */
export interface SolanaChain {
  readonly rpcUrl: string;
  readonly bank: Bank;
  readonly faults: RpcFaults | undefined;
  /** Gives USDC (base units; the token account is created, also for 0) and, where asked, SOL for fees. */
  fund(address: string, gift: { readonly usdc?: bigint; readonly gas?: boolean }): Promise<void>;
  /** USDC in base units, at the head; 0 where there is no token account. */
  balance(address: string): Promise<bigint>;
  /** Lets slots pass at once. */
  advance(slots: bigint): void;
  close(): Promise<void>;
}

/** Starts the Solana node with the play-money USDC mint; restores the saved state where there is one. */
export async function startSolanaChain({ slotMs = DEFAULT_SLOT_MS, folder, faults: withFaults = false }: SolanaChainOptions): Promise<SolanaChain> {
  const restored = folder === undefined ? undefined : await restoreBank(folder);
  const bank = new Bank(restored?.state);
  // The network went on while nobody ran it: what was signed then expires as it would have.
  if (restored) bank.advance(BigInt(Math.max(0, Math.floor((Date.now() - restored.savedAt) / slotMs))));
  const faucet = await openFaucet(bank, sandboxKey('solana faucet'));
  const faults = withFaults ? createRpcFaults(bank) : undefined;
  const rpc = await serveRpc({ bank, methods: rpcMethods(bank, faucet), faults });
  const saver = folder === undefined ? undefined : await keepSaving(bank, folder);
  const clock = setInterval(() => bank.advance(1n), slotMs);
  clock.unref();
  return {
    rpcUrl: rpc.url,
    bank,
    faults,
    fund: async (address, { usdc, gas = false }) => {
      if (!isAddress(address)) throw new BursarError('INPUT_INVALID', `"${address.slice(0, 80)}" is not a Solana address.`);
      if (gas) await faucet.airdrop(address, GAS_GIFT);
      if (usdc !== undefined) await faucet.mintUsdc(address, usdc);
    },
    balance: async (address) => {
      if (!isAddress(address)) throw new BursarError('INPUT_INVALID', `"${address.slice(0, 80)}" is not a Solana address.`);
      const account = bank.account(await usdcAccountOf(address));
      return (account && readTokenAccount(account)?.amount) ?? 0n;
    },
    advance: (slots) => bank.advance(slots),
    close: async () => {
      clearInterval(clock);
      await rpc.close();
      await saver?.stop();
    },
  };
}

/** A key of the sandbox itself, the same at every start. Anyone can compute it: it guards play money only. */
export const sandboxKey = (role: string): Uint8Array => createHash('sha256').update(`bursar sandbox: ${role}`).digest();
