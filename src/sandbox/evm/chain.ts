import { encodeFunctionData, parseEther, type Address, type Hash, type Hex } from 'viem';
import { BursarError } from '../../shared/errors/errors.ts';
import { EVM_USDC } from '../networks.ts';
import { readFileIfAny, writeFileAtomically } from '../state-file.ts';
import { startAnvil, type AnvilOptions } from './anvil.ts';
import { createEvmClients, type EvmClients } from './clients.ts';
import { MULTICALL_RUNTIME, USDC_ABI, USDC_RUNTIME } from './contracts.ts';

/** Multicall3's address on every EVM network. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
/** What a funded account gets to pay its own fees with. */
const GAS_GIFT = parseEther('1');
/** `finalized` trails the head by two blocks: three make everything that came before final. */
const FINALITY_BLOCKS = 3;
const SAVE_EVERY_MS = 1_000;

export interface EvmChainOptions extends AnvilOptions {
  /** Where the chain's state is kept across restarts; without it, it is lost at the end. */
  readonly stateFile?: string;
}

/** The running EVM. */
export interface EvmChain {
  readonly rpcUrl: string;
  readonly clients: EvmClients;
  /** anvil's process, for tests that freeze it. */
  readonly pid: number;
  /** Resolves when anvil is gone, wanted or not. */
  readonly exited: Promise<void>;
  /** The account with gas that the facilitator settles from. */
  readonly facilitator: Address;
  /** Gives USDC (base units) and, where asked, ether for fees. */
  fund(address: Address, gift: { readonly usdc?: bigint; readonly gas?: boolean }): Promise<void>;
  /** USDC in base units, at the head. */
  balance(address: Address): Promise<bigint>;
  /** Moves the clock forward and makes everything until then final. */
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts the EVM with the play-money token in place; restores the saved state where there is one. */
export async function startEvmChain({ stateFile, ...options }: EvmChainOptions): Promise<EvmChain> {
  const anvil = await startAnvil(options);
  try {
    const clients = createEvmClients(anvil.rpcUrl);
    const [facilitator, faucet] = await clients.wallet.getAddresses();
    if (!facilitator || !faucet) throw new BursarError('INTERNAL', 'anvil has no accounts.');

    const saved = stateFile && (await readFileIfAny(stateFile));
    if (stateFile && saved) await restore(clients, `0x${saved.toString('hex')}`, stateFile);
    else await placeContracts(clients, faucet);
    const saver = stateFile ? await keepSaving(clients, stateFile) : undefined;

    return {
      rpcUrl: anvil.rpcUrl,
      clients,
      pid: anvil.pid,
      exited: anvil.exited,
      facilitator,
      fund: async (address, { usdc = 0n, gas = false }) => {
        if (usdc > 0n) await send(clients, { from: faucet, to: EVM_USDC, data: encodeFunctionData({ abi: USDC_ABI, functionName: 'mint', args: [address, usdc] }) });
        if (gas) await send(clients, { from: faucet, to: address, value: GAS_GIFT });
      },
      balance: (address) => clients.reader.readContract({ address: EVM_USDC, abi: USDC_ABI, functionName: 'balanceOf', args: [address] }),
      advance: async (seconds) => {
        if (seconds > 0) await clients.control.increaseTime({ seconds });
        await clients.control.mine({ blocks: FINALITY_BLOCKS });
      },
      close: async () => {
        try {
          await saver?.stop();
        } finally {
          await anvil.stop();
        }
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

async function placeContracts(clients: EvmClients, faucet: Address): Promise<void> {
  await clients.control.setCode({ address: EVM_USDC, bytecode: USDC_RUNTIME });
  await clients.control.setCode({ address: MULTICALL, bytecode: MULTICALL_RUNTIME });
  await send(clients, { from: faucet, to: EVM_USDC, data: encodeFunctionData({ abi: USDC_ABI, functionName: 'init', args: ['USDC', '2'] }) });
}

async function restore({ control }: EvmClients, state: Hex, stateFile: string): Promise<void> {
  try {
    await control.loadState({ state });
  } catch (cause) {
    throw new BursarError('CONFIG_CORRUPT', `The sandbox's EVM state ${stateFile} cannot be read.`, {
      hint: 'Remove that file to begin with a fresh chain; it holds play money only.',
      cause,
    });
  }
  // anvil restores the state of the head only: until it lies below `finalized`, reads at `finalized` would fail.
  await control.mine({ blocks: FINALITY_BLOCKS });
}

async function send({ wallet, reader, sending }: EvmClients, transaction: { from: Address; to: Address; data?: Hex; value?: bigint }): Promise<void> {
  const { from, ...rest } = transaction;
  const hash: Hash = await sending(() => wallet.sendTransaction({ account: from, ...rest }));
  const receipt = await reader.waitForTransactionReceipt({ hash, timeout: 10_000 });
  if (receipt.status !== 'success') throw new BursarError('INTERNAL', `The sandbox's transaction ${hash} failed.`);
}

/** Saves the state now, every second while transactions come in, and once more at the end. */
async function keepSaving({ control, reader }: EvmClients, stateFile: string): Promise<{ stop(): Promise<void> }> {
  const save = async (): Promise<void> => {
    const state = await control.dumpState();
    await writeFileAtomically(stateFile, Buffer.from(state.slice(2), 'hex'));
  };
  let seen = await reader.getBlockNumber();
  await save();
  const saveIfChanged = async (): Promise<void> => {
    const head = await reader.getBlockNumber();
    for (let number = head; number > seen; number -= 1n) {
      if ((await reader.getBlockTransactionCount({ blockNumber: number })) === 0) continue;
      await save();
      break;
    }
    seen = head;
  };
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A chain that does not answer (frozen in a test) is saved at the next turn.
    running = running.then(saveIfChanged).catch(() => {});
  }, SAVE_EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
      await save();
    },
  };
}
