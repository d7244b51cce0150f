import {
  blockhash,
  getBase58Decoder,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Address,
  type Blockhash,
  type EncodedAccount,
  type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import { feeOf } from './fees.ts';
import { decodeMessage, decodeWire } from './message.ts';
import { tokenBalancesOf, type TokenBalance } from './token-accounts.ts';
import { toTransactionError, type TransactionError } from './transaction-error.ts';

/** How many slots a blockhash stays usable (Solana's `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_WINDOW = 150n;
/** A transaction is final this many slots after its own; it is confirmed at once. */
const FINALITY_SLOTS = 2n;

/** The network's nominal slot time, for {@link Bank.timeOf}. */
const SLOT_SECONDS = 0.4;

/** How settled a state has to be; a fork comes only with a fault, so `processed` is `confirmed`. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A transaction that was executed, successfully or not. Plain JSON values: it is written to the history file as it is. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: string;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly err: TransactionError | null;
  /** The wire bytes in base64. */
  readonly wire: string;
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly logMessages: readonly string[];
  readonly innerInstructions: readonly InnerInstructions[];
  readonly computeUnitsConsumed: number;
}

/** The calls that one instruction (by its index) made to other programs. */
export interface InnerInstructions {
  readonly index: number;
  readonly instructions: readonly { programIdIndex: number; accounts: number[]; data: string; stackHeight: number }[];
}

/** `rejected` never reached a block and cost nothing; `landed` did, with or without an error. */
export type SubmitOutcome =
  | { readonly kind: 'landed'; readonly transaction: LandedTransaction }
  | { readonly kind: 'rejected'; readonly err: TransactionError; readonly logs: readonly string[] };

/** What a transaction would do; `accounts` are those it touched, as they would be after it. */
export interface Simulation {
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
  readonly innerInstructions: readonly InnerInstructions[];
  readonly accounts: readonly EncodedAccount[];
}

/** What a bank is restored from. */
export interface BankState {
  /** litesvm's own snapshot. */
  readonly snapshot: Uint8Array;
  readonly slot: bigint;
  /** Usable blockhashes, oldest first, with the slot of each. */
  readonly blockhashes: readonly (readonly [hash: string, slot: bigint])[];
  readonly transactions: readonly LandedTransaction[];
}

/**
 * The ledger of the sandbox's Solana: litesvm executes, this class keeps what litesvm lacks, namely slots, the window of usable
 * blockhashes, the history of landed transactions and their finality.
 */
export class Bank {
  #svm: LiteSVM;
  #slot: bigint;
  readonly #blockhashes: Map<string, bigint>;
  readonly #transactions = new Map<string, LandedTransaction>();
  readonly #byAddress = new Map<string, string[]>();
  readonly #processed = new Set<string>();
  readonly #listeners = new Set<() => void>();

  constructor(state?: BankState) {
    this.#svm = openSvm(state?.snapshot);
    this.#slot = state?.slot ?? 0n;
    this.#blockhashes = new Map(state?.blockhashes);
    for (const transaction of state?.transactions ?? []) this.#remember(transaction);
    this.advance(1n);
  }

  get svm(): LiteSVM {
    return this.#svm;
  }

  /** The state now, for {@link Bank.switchTo} or a restart. */
  state(): BankState {
    const blockhashes = this.blockhashes.map(([hash, slot]) => [hash, slot] as const);
    return { snapshot: this.svm.toBytes(), slot: this.#slot, blockhashes, transactions: this.transactionsFrom(0) };
  }

  /** Goes over to a fork that left this one at an earlier state: what landed since never happened, and the blockhashes since are unknown. Slots go on. */
  switchTo({ snapshot, slot, blockhashes, transactions }: BankState): void {
    this.#svm = openSvm(snapshot);
    for (const kept of [this.#blockhashes, this.#transactions, this.#byAddress, this.#processed]) kept.clear();
    for (const [hash, at] of blockhashes) this.#blockhashes.set(hash, at);
    for (const transaction of transactions) this.#remember(transaction);
    const passed = this.#slot - slot;
    this.#slot = slot;
    this.advance(passed + 1n);
  }

  /** The current slot; no slot is ever skipped, so it is the block height as well. */
  get slot(): bigint {
    return this.#slot;
  }

  /** The newest slot at a commitment. */
  slotAt(commitment: Commitment): bigint {
    if (commitment !== 'finalized') return this.#slot;
    return this.#slot > FINALITY_SLOTS ? this.#slot - FINALITY_SLOTS : 0n;
  }

  get blockhashes(): readonly (readonly [string, bigint])[] {
    return [...this.#blockhashes];
  }

  /** Calls back after every slot and every landed transaction; returns the way to end it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets `slots` pass: each has a new blockhash, and those older than the window stop being usable. */
  advance(slots: bigint): void {
    const target = this.#slot + slots;
    const firstUsable = target - BLOCKHASH_WINDOW;
    // Of the slots passed, only those within the window leave a blockhash that anyone could still use.
    if (this.#slot < firstUsable) this.#slot = firstUsable;
    while (this.#slot < target) {
      this.#slot += 1n;
      this.svm.expireBlockhash();
      this.#blockhashes.set(this.svm.latestBlockhash(), this.#slot);
    }
    for (const [hash, slot] of this.#blockhashes) {
      if (slot >= firstUsable) break;
      this.#blockhashes.delete(hash);
    }
    this.svm.warpToSlot(this.#slot);
    const clock = this.svm.getClock();
    clock.unixTimestamp = BigInt(unixNow());
    this.svm.setClock(clock);
    this.#changed();
  }

  /** The newest blockhash at a commitment, with the last height at which a transaction that names it can land. */
  latestBlockhash(commitment: Commitment): { blockhash: Blockhash; lastValidBlockHeight: bigint } {
    const wanted = this.slotAt(commitment);
    const [hash, slot] = this.blockhashes.findLast(([, at]) => at <= wanted) ?? this.blockhashes[0]!;
    return { blockhash: blockhash(hash), lastValidBlockHeight: slot + BLOCKHASH_WINDOW };
  }

  isBlockhashUsable(hash: string): boolean {
    return this.#blockhashes.has(hash);
  }

  account(address: Address): EncodedAccount | undefined {
    const account = this.svm.getAccount(address);
    return account.exists && (account.lamports > 0n || account.data.length > 0) ? account : undefined;
  }

  transaction(signature: string): LandedTransaction | undefined {
    return this.#transactions.get(signature);
  }

  get transactionCount(): number {
    return this.#transactions.size;
  }

  /** The landed transactions in order, without the first `skip`. */
  transactionsFrom(skip: number): LandedTransaction[] {
    return [...this.#transactions.values()].slice(skip);
  }

  /** The Unix time in seconds of a slot that has passed, counted back from now; null for a later one. */
  timeOf(slot: bigint): number | null {
    return slot > this.#slot ? null : Math.floor(Date.now() / 1000 - Number(this.#slot - slot) * SLOT_SECONDS);
  }

  /** Signatures of the transactions that name the address, newest first. */
  signaturesOf(address: string): readonly string[] {
    return (this.#byAddress.get(address) ?? []).toReversed();
  }

  isFinal(transaction: LandedTransaction): boolean {
    return BigInt(transaction.slot) <= this.slotAt('finalized');
  }

  /** Executes without effect. A partially signed transaction may be simulated when `verifySignatures` is off. */
  simulate(transaction: Transaction, verifySignatures: boolean): Simulation {
    const nothing = { logs: [], unitsConsumed: 0n, innerInstructions: [], accounts: [] };
    if (this.#processed.has(messageKey(transaction))) return { err: 'AlreadyProcessed', ...nothing };
    this.svm.withSigverify(verifySignatures);
    try {
      const result = this.svm.simulateTransaction(transaction);
      const failed = result instanceof FailedTransactionMetadata;
      const meta = result.meta();
      return {
        err: failed ? toTransactionError(result.err()) : null,
        logs: meta.logs(),
        unitsConsumed: meta.computeUnitsConsumed(),
        innerInstructions: innerInstructionsOf(meta),
        accounts: failed ? [] : result.postAccounts(),
      };
    } finally {
      this.svm.withSigverify(true);
    }
  }

  /** Executes for real. The blockhash has to be usable; a failed instruction lands and costs the fee, as on a real network. */
  submit(transaction: Transaction): SubmitOutcome {
    const message = decodeMessage(transaction);
    if (!this.isBlockhashUsable(message.lifetimeToken)) return rejected('BlockhashNotFound');
    if (this.#processed.has(messageKey(transaction))) return rejected('AlreadyProcessed');

    const addresses = message.staticAccounts;
    const lamports = () => addresses.map((address) => Number(this.svm.getBalance(address) ?? 0n));
    const preBalances = lamports();
    const preTokenBalances = tokenBalancesOf(this, addresses);
    const result = this.svm.sendTransaction(transaction);
    const failed = result instanceof FailedTransactionMetadata;
    const err = failed ? toTransactionError(result.err()) : null;
    const meta = failed ? result.meta() : result;
    // A bare name means that the transaction was turned away before any instruction ran.
    if (typeof err === 'string') return rejected(err, meta.logs());

    const landed: LandedTransaction = {
      signature: getSignatureFromTransaction(transaction),
      slot: this.#slot.toString(),
      blockTime: unixNow(),
      err,
      wire: getBase64EncodedWireTransaction(transaction),
      fee: Number(feeOf(message)),
      preBalances,
      postBalances: lamports(),
      preTokenBalances,
      postTokenBalances: tokenBalancesOf(this, addresses),
      logMessages: meta.logs(),
      innerInstructions: innerInstructionsOf(meta),
      computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
    };
    this.#remember(landed);
    this.#changed();
    return { kind: 'landed', transaction: landed };
  }

  #remember(landed: LandedTransaction): void {
    const transaction = decodeWire(landed.wire);
    this.#transactions.set(landed.signature, landed);
    this.#processed.add(messageKey(transaction));
    for (const address of decodeMessage(transaction).staticAccounts) {
      const signatures = this.#byAddress.get(address);
      if (signatures) signatures.push(landed.signature);
      else this.#byAddress.set(address, [landed.signature]);
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

// litesvm knows the latest blockhash only, so its check is off and the bank keeps the window.
const openSvm = (snapshot: Uint8Array | undefined): LiteSVM => (snapshot ? LiteSVM.fromBytes(snapshot) : new LiteSVM()).withBlockhashCheck(false).withSigverify(true);

const rejected = (err: TransactionError, logs: readonly string[] = []): SubmitOutcome => ({ kind: 'rejected', err, logs });

// A node's status cache goes by message: a copy that lacks a signature is processed already as well.
const messageKey = (transaction: Transaction): string => getBase64Decoder().decode(transaction.messageBytes);

const unixNow = (): number => Math.floor(Date.now() / 1000);

function innerInstructionsOf(meta: TransactionMetadata): InnerInstructions[] {
  const perInstruction = meta.innerInstructions().map((list, index) => ({
    index,
    instructions: list.map((inner) => ({
      programIdIndex: inner.instruction().programIdIndex(),
      accounts: [...inner.instruction().accounts()],
      data: getBase58Decoder().decode(inner.instruction().data()),
      stackHeight: inner.stackHeight(),
    })),
  }));
  return perInstruction.filter(({ instructions }) => instructions.length > 0);
}
