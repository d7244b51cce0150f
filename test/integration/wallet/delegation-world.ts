import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, getAddressEncoder, lamports, type Address } from '@solana/kit';
import type { Account, Keys } from '../../../src/core/ports.ts';
import { REGISTERED, type Asset } from '../../../src/core/registry/assets.ts';
import { systemClock } from '../../../src/main/adapters/clock.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { tokenAccountOf } from '../../../src/main/adapters/chain/token-account.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { wireDelegation } from '../../../src/main/wire-delegation.ts';
import { TOKEN_2022 } from '../../../src/core/registry/solana-tokens.ts';
import { SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSolanaChain, type SolanaChain } from '../../../src/sandbox/solana/chain.ts';
import { readTokenAccount } from '../../../src/sandbox/solana/token-accounts.ts';
import { SCOPES, type Scope } from '../../../src/shared/access/scopes.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal, silent, SOLANA_ASSET } from '../rails/shop.ts';

const caller = { surface: 'dashboard', connection: 'c', host: 'headless' } as const;

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export type DelegationWorld = Awaited<ReturnType<typeof openDelegationWorld>>;

/** Everything about delegations over a database on disk and a real Solana VM, with the keys of an owner and of an agent. */
export async function openDelegationWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-delegation-'));
  const chain: SolanaChain = await startSolanaChain({ slotMs: 200 });
  const accounts: Account[] = [];
  const secrets = new Map<string, Uint8Array>();
  const add = async (label: string, privateKey = random(32)): Promise<Account> => {
    const account = { ...(await solanaAccount(privateKey)), id: `account-${accounts.length}`, label };
    secrets.set(account.id, privateKey);
    accounts.push(account);
    return account;
  };
  const byAddress = (of: string) => accounts.find((account) => account.address === of);
  const keys: Keys = {
    locked: false,
    accounts: () => [...accounts],
    async use(id, work) {
      const secret = secrets.get(id);
      if (!secret) throw new BursarError('ACCOUNT_MISSING', `There is no account ${id}.`);
      return await work(Uint8Array.from(secret));
    },
  };
  const chains = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [chain.rpcUrl] } }, { delegatedFrom: (payer) => byAddress(payer)?.delegatedFrom });
  const granted = new Map<string, readonly Scope[]>();
  let wired: ReturnType<typeof wireDelegation> | undefined;
  let db: ReturnType<typeof openDatabase> | undefined;
  let now = 0;
  let isChanged = false;

  const end = () => {
    wired?.stop();
    db?.close();
  };

  const world = {
    chain,
    chains,
    keys,
    granted,
    add,
    accounts: () => [...accounts],
    account: (of: string) => byAddress(of)!,
    /** One run of the process. `change` is what this run's network does otherwise. */
    start(change: Partial<Chains> = {}) {
      end();
      const opened = openDatabase(join(folder, 'bursar.db'));
      db = opened;
      wired = wireDelegation({
        db: opened,
        clock: { ...systemClock, now: () => Date.now() + now },
        random,
        keys,
        wallet: {
          deriveAccount: ({ label }) => add(label),
          payFrom(id, owner) {
            const at = accounts.findIndex((account) => account.id === id);
            accounts[at] = { ...accounts[at]!, ...(owner !== undefined && { delegatedFrom: owner }) };
            return accounts[at];
          },
        },
        integrity: {
          requireSound() {
            if (isChanged) throw new BursarError('SETTINGS_CHANGED', 'config.json was changed outside Bursar.');
          },
          mayRecord: () => !isChanged,
        },
        chains: () => ({ ...chains, ...change }),
        rpcUrl: () => chain.rpcUrl,
        assets: REGISTERED,
        shownAssets: REGISTERED,
        scopesOf: (client) => granted.get(client) ?? SCOPES,
        changed: () => {},
        log: silent,
      });
      wired.recover();
      return wired.handlers;
    },
    get routes() {
      return wired!.handlers;
    },
    caller,
    /** Whether something was changed from outside from now on. */
    settingsChanged: (are: boolean) => void (isChanged = are),
    /** Moves the clock of what starts next and what runs. */
    later: (ms: number) => void (now += ms),
    async tool(name: string, args: object = {}, client = 'claude'): Promise<ToolResult> {
      const found = wired!.tools.find((tool) => tool.name === name)!;
      const answer = await found.run({ client, session: '', seenIn: () => '', argumentsText: JSON.stringify(args), startedAt: 0, signal, progress: () => {} });
      if (answer.kind !== 'result') throw new Error('not a result');
      return JSON.parse(answer.resultText) as ToolResult;
    },
    /** The token account as the chain itself has it. */
    async onChain(owner: string, asset: Asset = SOLANA_ASSET) {
      const account = chain.bank.account(await tokenAccountOf(owner, asset));
      const token = account && readTokenAccount(account);
      return { amount: token?.amount ?? 0n, delegate: token?.delegate ?? '', delegated: token?.delegatedAmount ?? 0n };
    },
    /** How many transactions touched it. */
    touched: async (owner: string, asset: Asset = SOLANA_ASSET) => chain.bank.signaturesOf(address(await tokenAccountOf(owner, asset))).length,
    async close() {
      end();
      chains.close();
      await chain.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** A plain Token-2022 mint where the registry has one, and an account of it, as the associated token program makes it. */
export async function placeTokens2022({ bank }: SolanaChain, asset: Asset, owner: string, amount: bigint): Promise<void> {
  const mint = Buffer.alloc(82);
  mint.writeUInt8(asset.decimals, 44);
  mint.writeUInt8(1, 45);
  place(bank, address(asset.address), mint);
  const account = Buffer.alloc(165 + 1 + 4);
  account.set(bytesOf(asset.address), 0);
  account.set(bytesOf(owner), 32);
  account.writeBigUInt64LE(amount, 64);
  account.writeUInt8(1, 108);
  account.writeUInt8(2, 165);
  // ImmutableOwner, which has no data.
  account.writeUInt16LE(7, 166);
  place(bank, await tokenAccountOf(owner, asset), account);
}

function place({ svm }: SolanaChain['bank'], at: Address, data: Buffer): void {
  const space = BigInt(data.length);
  svm.setAccount({ address: at, programAddress: address(TOKEN_2022), data: new Uint8Array(data), executable: false, space, lamports: lamports(svm.minimumBalanceForRentExemption(space)) });
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(getAddressEncoder().encode(address(text)));
