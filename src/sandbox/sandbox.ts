import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { getAddress, toHex, type Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { BursarError } from '../shared/errors/errors.ts';
import { serveCards, type CardKeys } from './card/server.ts';
import { serveControl } from './control.ts';
import { startEvmChain, type EvmChain } from './evm/chain.ts';
import { createFacilitator } from './facilitator/facilitator.ts';
import { createFacilitatorFaults, type FacilitatorFaults } from './facilitator/faults.ts';
import { serveFacilitator } from './facilitator/server.ts';
import { EVM_CHAIN_ID, EVM_NETWORK, EVM_USDC, SOLANA_NETWORK, SOLANA_USDC, type SandboxNetwork } from './networks.ts';
import { serveSellerApi } from './seller/api.ts';
import { serveSellerHttp } from './seller/http.ts';
import type { PaymentLog } from './seller/payment/events.ts';
import type { PayTo } from './seller/payment/terms.ts';
import { createSeller, type SellerOptions } from './seller/seller.ts';
import { sandboxKey, startSolanaChain, type SolanaChain } from './solana/chain.ts';
import type { RpcFaults } from './solana/rpc-faults.ts';

export interface SandboxOptions {
  /** The folder that keeps chains and balances across restarts; without it, they are lost at the end. */
  readonly dir?: string;
  /** Whether faults can be switched on and time be moved. */
  readonly faults?: boolean;
  /** How long a Solana slot takes, 400 ms by default. */
  readonly slotMs?: number;
  /** An EVM block is mined at least this often, 2 s by default. */
  readonly evmIntervalSeconds?: number;
  /** How long a settlement waits for its transaction before it reports `settlement_pending`, 10 s by default. */
  readonly confirmationTimeoutMs?: number;
  /** How long the demo seller waits for the facilitator, 15 s by default. */
  readonly facilitatorTimeoutMs?: number;
  /** How long a buyer's authorization may stay valid, 120 s by default. */
  readonly maxTimeoutSeconds?: number;
  /** How long a stored challenge of the demo seller may be paid, 5 minutes by default. */
  readonly challengeTtlMs?: number;
  /** Whether the demo seller verifies payments without collecting them. */
  readonly verifyOnly?: boolean;
  /** Tools of the demo seller whose payment requirement is switched off. */
  readonly free?: readonly string[];
  /** Where the demo seller's payment events go. */
  readonly paymentLog?: PaymentLog;
  /** The entry of the seller's stdio form; by default the source file next to this one. */
  readonly sellerEntry?: string;
}

/** What to give, in base units of USDC and, where `gas` is set, a coin's worth for fees. */
export interface Gift {
  readonly network: SandboxNetwork;
  readonly address: string;
  readonly usdc?: bigint;
  readonly gas?: boolean;
}

/** Every fault that can be switched on. */
export interface SandboxFaults {
  readonly facilitator: FacilitatorFaults;
  readonly solana: RpcFaults;
  /** Ends every fault. */
  clear(): void;
}

/** What another process has to know about a sandbox; the entry prints it as its ready line. */
export interface SandboxAddresses {
  readonly evm: { readonly network: typeof EVM_NETWORK; readonly rpcUrl: string; readonly chainId: number; readonly usdc: string };
  readonly solana: { readonly network: typeof SOLANA_NETWORK; readonly rpcUrl: string; readonly wsUrl: string; readonly usdc: string };
  readonly facilitatorUrl: string;
  readonly seller: {
    readonly mcpUrl: string;
    /** The paid HTTP API. */
    readonly apiUrl: string;
    readonly payTo: PayTo;
    /** What buyers by `dev-signature` share with it. */
    readonly devSecret: string;
    readonly stdio: { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  };
  /** A card service that behaves like Stripe's API, with test cards. */
  readonly card: { readonly url: string; readonly publishableKey: string };
  readonly controlUrl: string;
  /** The bearer token of {@link controlUrl}. */
  readonly controlToken: string;
}

/** A running sandbox. */
export interface Sandbox extends SandboxAddresses {
  /** anvil's process, for tests that freeze it. */
  readonly anvilPid: number;
  /** Resolves when anvil is gone, wanted or not. */
  readonly anvilExited: Promise<void>;
  fund(gift: Gift): Promise<void>;
  /** USDC in base units, read from the chain. */
  balance(network: SandboxNetwork, address: string): Promise<bigint>;
  /** Cents that the card service has captured. */
  captured(): number;
  /** Present only where the sandbox was started with `faults`. */
  readonly faults: SandboxFaults | undefined;
  readonly time: {
    /** Moves the EVM's clock forward and makes everything until then final. */
    advanceEvm(seconds: number): Promise<void>;
    /** Lets Solana slots pass at once. */
    advanceSolana(slots: number): void;
  };
  close(): Promise<void>;
}

const FACILITATOR_LAMPORTS_GIFTS = 5;
/** Known to everyone: they guard play money only. */
const CARD_KEYS: CardKeys = { secretKey: 'sk_test_sandbox', publishableKey: 'pk_test_sandbox' };
const DEV_SECRET = 'bursar sandbox';

/** Starts both chains, the facilitator, the demo seller and the control server. What was started is closed if one of them fails. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { dir, faults: withFaults = false } = options;
  if (dir !== undefined) await mkdir(dir, { recursive: true, mode: 0o700 });
  const open: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    // The last started first; one that fails must not keep the others alive.
    for (const part of open.splice(0).toReversed()) await part().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  const started = <T extends { close(): Promise<void> }>(part: T): T => {
    open.push(() => part.close());
    return part;
  };
  try {
    const startingEvm = startEvmChain({
      idleBlockSeconds: options.evmIntervalSeconds ?? 2,
      ...(dir !== undefined && { stateFile: join(dir, 'evm.state') }),
    }).then(started);
    const startingSolana = startSolanaChain({
      faults: withFaults,
      ...(options.slotMs !== undefined && { slotMs: options.slotMs }),
      ...(dir !== undefined && { folder: dir }),
    }).then(started);
    // Both are awaited before the first failure is thrown: what came up has to be known to be closed.
    await Promise.allSettled([startingEvm, startingSolana]);
    const [evm, solana] = [await startingEvm, await startingSolana];
    const payTo = await endowParties(solana);

    const facilitatorFaults = withFaults ? createFacilitatorFaults() : undefined;
    const facilitator = await createFacilitator({
      evm,
      solana: { rpcUrl: solana.rpcUrl, privateKey: sandboxKey('solana facilitator') },
      confirmationTimeoutMs: options.confirmationTimeoutMs ?? 10_000,
    });
    const facilitatorUrl = started(await serveFacilitator(facilitator, facilitatorFaults)).url;

    const cards = started(await serveCards(CARD_KEYS));
    const sold: SellerOptions = {
      facilitatorUrl,
      payTo,
      evmRpcUrl: evm.rpcUrl,
      solanaRpcUrl: solana.rpcUrl,
      card: { url: cards.url, ...CARD_KEYS, account: 'acct_sandbox' },
      devSecret: DEV_SECRET,
      ...(dir !== undefined && { storeFile: join(dir, 'seller.sqlite') }),
    };
    const seller = started(openSeller(sold, options));
    const mcpUrl = `${started(await serveSellerHttp(seller)).url}/mcp`;
    const apiUrl = started(await serveSellerApi(seller)).url;

    const faults = createFaults(facilitatorFaults, solana.faults);
    const parts = { fund: funder(evm, solana), balance: balanceReader(evm, solana), captured: () => cards.intents.captured(), faults, time: clock(evm, solana) };
    const control = started(await serveControl(parts));
    return {
      ...parts,
      evm: { network: EVM_NETWORK, rpcUrl: evm.rpcUrl, chainId: EVM_CHAIN_ID, usdc: EVM_USDC },
      solana: { network: SOLANA_NETWORK, rpcUrl: solana.rpcUrl, wsUrl: solana.rpcUrl.replace('http', 'ws'), usdc: SOLANA_USDC },
      facilitatorUrl,
      seller: { mcpUrl, apiUrl, payTo, devSecret: DEV_SECRET, stdio: stdioSeller(options.sellerEntry, sold) },
      card: { url: cards.url, publishableKey: CARD_KEYS.publishableKey },
      controlUrl: control.url,
      controlToken: control.token,
      anvilPid: evm.pid,
      anvilExited: evm.exited,
      close,
    };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Gives the facilitator lamports for fees and the seller its token account; returns where the seller is paid. */
async function endowParties(solana: SolanaChain): Promise<PayTo> {
  const payTo = { evm: privateKeyToAddress(toHex(sandboxKey('evm seller'))), solana: await addressOf('solana seller') };
  const facilitator = await addressOf('solana facilitator');
  if (!solana.bank.account(facilitator)) {
    for (let gift = 0; gift < FACILITATOR_LAMPORTS_GIFTS; gift += 1) await solana.fund(facilitator, { gas: true });
    await solana.fund(payTo.solana, { usdc: 0n });
  }
  return payTo;
}

const addressOf = async (role: string) => (await createKeyPairSignerFromPrivateKeyBytes(sandboxKey(role))).address;

function openSeller(sold: SellerOptions, { facilitatorTimeoutMs, maxTimeoutSeconds, challengeTtlMs, verifyOnly, free, paymentLog: log }: SandboxOptions) {
  const seller = createSeller({
    ...sold,
    ...(facilitatorTimeoutMs !== undefined && { facilitatorTimeoutMs }),
    ...(maxTimeoutSeconds !== undefined && { maxTimeoutSeconds }),
    ...(challengeTtlMs !== undefined && { challengeTtlMs }),
    ...(verifyOnly !== undefined && { verifyOnly }),
    ...(free !== undefined && { free }),
    ...(log !== undefined && { log }),
  });
  return { ...seller, close: async () => seller.close() };
}

const stdioSeller = (entry: string | undefined, sold: SellerOptions) => ({
  command: process.execPath,
  args: [entry ?? join(import.meta.dirname, 'seller', 'stdio.ts')],
  env: { SELLER: JSON.stringify(sold) },
});

const funder =
  (evm: EvmChain, solana: SolanaChain) =>
  async ({ network, address, usdc, gas = false }: Gift): Promise<void> => {
    const gift = { gas, ...(usdc !== undefined && { usdc }) };
    await (network === EVM_NETWORK ? evm.fund(evmAddress(address), gift) : solana.fund(address, gift));
  };

const balanceReader = (evm: EvmChain, solana: SolanaChain) => (network: SandboxNetwork, address: string) =>
  network === EVM_NETWORK ? evm.balance(evmAddress(address)) : solana.balance(address);

const clock = (evm: EvmChain, solana: SolanaChain) => ({
  advanceEvm: (seconds: number) => evm.advance(seconds),
  advanceSolana: (slots: number) => solana.advance(BigInt(slots)),
});

function evmAddress(text: string): Address {
  try {
    return getAddress(text);
  } catch (cause) {
    throw new BursarError('INPUT_INVALID', `"${text.slice(0, 80)}" is not an EVM address.`, { cause });
  }
}

function createFaults(facilitator: FacilitatorFaults | undefined, solana: RpcFaults | undefined): SandboxFaults | undefined {
  if (!facilitator || !solana) return undefined;
  const clear = () => {
    facilitator.clear();
    solana.clear();
  };
  return { facilitator, solana, clear };
}
