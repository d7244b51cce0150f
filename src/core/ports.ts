import type { BaseUnits } from '../shared/money/money.ts';
import type { Policy } from '../shared/policy/policy.ts';
import type { Offer } from './challenges/dialect.ts';
import type { SignedArtifact } from './challenges/offer-receipt.ts';
import type { HeldUse } from './policy/budget-sums.ts';
import type { Change, NewPayment, Payment, PaymentEvent } from './payments/payment.ts';
import type { Flow, Terms } from './payments/terms.ts';
import type { Asset } from './registry/assets.ts';
import type { Namespace, NetworkId } from './registry/networks.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; returns the way to call it off. A pending call does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** A public half of a key; for `dev` and `stripe`, of a secret. */
export interface Account {
  readonly id: string;
  readonly label: string;
  readonly namespace: Namespace;
  /** `dev`: a random name; `stripe`: the id of the payment method. */
  readonly address: string;
  /** `watch`: an address alone, whose key lies elsewhere. It is shown and never pays. */
  readonly source: 'seed' | 'imported' | 'watch';
  /** Solana: the wallet whose token accounts this one pays from, as the delegate that an SPL approval names. */
  readonly delegatedFrom?: string;
}

/** The wallet's keys, wherever they lie. Key material is handed to `work` alone and wiped after it (I6). */
export interface Keys {
  readonly locked: boolean;
  /** Accounts that the owner put out of sight are not among them. */
  accounts(): readonly Account[];
  /**
   * Runs `work` with the account's private key: 32 bytes, a secp256k1 scalar for `eip155`, an Ed25519 seed for `solana`; UTF-8 text for
   * `dev` (the secret) and `stripe` (JSON, `StripeSecret`).
   * Throws `WALLET_LOCKED`, `ACCOUNT_MISSING`, `KEYCHAIN_UNAVAILABLE`.
   */
  use<T>(accountId: string, work: (privateKey: Uint8Array) => T | Promise<T>): Promise<T>;
}

/** What a payment holds of budgets in one token. Time and price are frozen at the reservation (I3). */
export interface BudgetUse {
  /** CAIP-19 id of what moves: the token that is paid, or one that a fee is paid in. */
  readonly asset: string;
  readonly units: BaseUnits;
  /** Its worth in millionths of a US dollar; absent where no price is known. */
  readonly usd?: BaseUnits;
  /** When it was reserved: never before any time that was ever journaled. */
  readonly at: number;
  /** The client's connection that asked; empty where there was none. */
  readonly session: string;
}

/** The policy of one version. The object of a version is the same as long as it is in force. */
export interface PolicyInForce {
  readonly number: number;
  readonly policy: Policy;
}

/** Writes of the journal. All of one `atomically` are one transaction. */
export interface JournalTransaction {
  /** Stands for what is in the ledger: where two transactions say the same, nothing was written between them, by nobody. */
  version(): string;
  /** Highest time ever written, so that a clock set back opens no new budget (I3). */
  highWater(): number;
  /** What is used of a cap of the policy in force, by its place in the list: settled, outstanding and reserved. */
  used(policy: Policy, cap: number, when: Pick<BudgetUse, 'at' | 'session'>): BaseUnits;
  /** What a payment holds of budgets; none where its money cannot move. */
  held(paymentId: string): readonly HeldUse[];
  /** Newest settled payment for a tool of a server: what its payee, token, network and price are pinned to. */
  lastSettled(upstream: string, tool: string): Payment | undefined;
  /** Was anything ever settled to this payee, in this dialect where one is named? */
  everPaid(network: NetworkId, payee: string, dialect?: string): boolean;
  get(id: string): Payment | undefined;
  /** Payments that a transaction of a chain settled. */
  settledBy(network: NetworkId, transaction: string): readonly Payment[];
  /** Newest payment of a call key that was signed. One that ended before its signature hides no older one whose money moved. */
  latestOfCall(callKey: string): Payment | undefined;
  /** When the newest payment of a call key that was answered was answered (ms); undefined where none was. */
  boughtAt(callKey: string): number | undefined;
  /** Newest refusal of a call key that nobody was told yet: rejected, expired or cancelled, with service `lost`. */
  untoldOfCall(callKey: string): Payment | undefined;
  /** How many payments in a row this upstream was paid and did not answer, since it last delivered or was pardoned. */
  undeliveredInRow(upstream: string): number;
  /** Forgets what an upstream did not deliver until now; the rows stay. */
  pardon(upstream: string): void;
  /** Adds the row and its budget uses. */
  insert(payment: NewPayment, uses: readonly BudgetUse[], event: PaymentEvent): Payment;
  /**
   * Changes columns of a row and appends what happened to its timeline. `release` frees its budget uses; that is done exactly when
   * money becomes `dead` or is `none` again. Throws `NOT_FOUND`.
   */
  change(id: string, change: Change, event: PaymentEvent, options?: { readonly release?: boolean }): Payment;
}

/** The ledger. One table is the journal; a transition is one transaction that also moves the reservation. */
export interface Journal {
  /** Runs `work` in one write transaction, durable (fsync) when this returns (I4). Throwing rolls back. */
  atomically<T>(work: (tx: JournalTransaction) => T): T;
  get(id: string): Payment | undefined;
  /** Rows that are not at rest, oldest first: money `reserved`, `outstanding`, or `settled` but not final; or service still `open` under an approved decision. */
  unresolved(): readonly Payment[];
  /** Ids of payments with service `lost` whose answer is kept and that have not changed after `until` (ms), oldest first; at most 100. */
  keptAnswers(until: number): readonly string[];
}

/** The owner's policy in force. */
export interface Policies {
  current(): PolicyInForce;
}

/** Prices of tokens that are not pegged to the dollar. There is no source by default: such a token then has no price. */
export interface Prices {
  /** Millionths of a US dollar for one whole token, not its base unit. */
  usdOf(asset: Asset): BaseUnits | undefined;
}

/** Whether ledger and policy are as Bursar wrote them. */
export interface Integrity {
  /** Throws `LEDGER_TAMPERED`, `LEDGER_RESTORED` or `SETTINGS_CHANGED` where something was changed from outside, or the ledger came out of a backup: nothing may be spent then. */
  requireSound(): void;
  /** Aborts when that is found, so that what waits for the owner ends. A new one after the owner accepted the ledger. */
  readonly alarm: AbortSignal;
  /** False while what the chain shows must not be recorded: rows are evidence then, or were not verified yet since the start. */
  mayRecord(): boolean;
}

/** Who signed something. A valid signature shows that a key was used, and never whose key that is. */
export type Signer =
  /** `addresses` are the forms in which a payee would be written that holds this key. */
  | { readonly state: 'signed'; readonly name: string; readonly addresses: readonly string[] }
  | { readonly state: 'false' }
  | { readonly state: 'unknown'; readonly why: string };

/** Checks what servers sign (x402 extension `offer-receipt`), without any network. */
export interface Signatures {
  signerOf(artifact: SignedArtifact): Promise<Signer>;
}

/** What a rail needs to find its payment on the chain again. Plain JSON, stored in the journal; each rail knows its own. */
export type Track = Readonly<Record<string, string>>;

/** A signed payment, not yet released. */
export interface Proof {
  /** The scheme's payload as JSON text, e.g. `{"signature":…,"authorization":{…}}`. */
  readonly payloadText: string;
  readonly track: Track;
  /** When the authorization can no longer settle by its own terms (ms); money counts as outstanding until proved dead. */
  readonly outstandingUntil: number;
}

/** What the journal holds of a nonce (`0x…`, lower case) that a payer signed before, where a server gave it. */
export type SignedNonces = (payer: string, nonce: string) => readonly { readonly termsDigest: string; readonly dead: boolean }[];

/** What the chain says of a payment (I5). */
export type Observation =
  | { readonly state: 'settled'; readonly transaction: string; readonly final: boolean }
  | { readonly state: 'dead'; readonly why: string }
  /** `held`: the amount is blocked for the payee, who can take it. */
  | { readonly state: 'open'; readonly why: string; readonly held?: true }
  | { readonly state: 'unreachable'; readonly why: string };

/** What a payment costs besides its amount, at most. */
export interface Fee {
  readonly asset: Asset;
  readonly units: BaseUnits;
  /** The part of it that is left as rent on an account which has to be made for the payee. */
  readonly rent?: BaseUnits;
}

/** What cancelling costs, in base units of the network's own coin. */
export interface CancelCost {
  readonly coin: string;
  readonly decimals: number;
  readonly maxFee: BaseUnits;
  /** What the paying account holds. */
  readonly balance: BaseUnits;
}

/** A transaction that makes a signed proof useless: signed, and not yet sent. */
export interface Cancellation {
  /** Its id, known before it is sent. */
  readonly transaction: string;
  readonly maxFee: BaseUnits;
  /** Throws `CHAIN_UNREACHABLE`; it may have been sent all the same. */
  send(signal: AbortSignal): Promise<void>;
}

/** Ends a signed payment on its chain, where the chain knows such a thing. It proves nothing: `observe` says what came of it (I5). */
export interface Cancel {
  /** Throws `CHAIN_UNREACHABLE`. */
  cost(terms: Terms, signal: AbortSignal): Promise<CancelCost>;
  /**
   * Signs, then decodes the signed bytes and compares (I2). Nothing leaves the process here. Throws `INSUFFICIENT_BALANCE`,
   * `APPROVAL_STALE` when it costs more than `maxFee`, `CHAIN_UNREACHABLE`, `WALLET_LOCKED`, `SIGNING_FAILED`, `PROOF_MISMATCH`.
   */
  sign(request: { readonly terms: Terms; readonly track: Track; readonly account: Account; readonly maxFee: bigint; readonly signal: AbortSignal }): Promise<Cancellation>;
}

/** Turns an intent into a signed proof, for one scheme and namespace. */
export interface Rail {
  readonly id: string;
  readonly scheme: string;
  readonly namespace: Namespace;
  readonly flow: Flow;
  /** Set where it pays such offers alone: Bursar settles them itself, before the retry. */
  readonly settlement?: Offer['settlement'];
  /** Set where it pays with what no chain holds, so that there is no balance to look at. */
  readonly funds?: 'none';
  /**
   * Checks what only this rail can know of an offer, without network: payee's form, token domain against the registry, fee payer, lifetime.
   * Returns the payee as the registry writes it, and the memo where the server chose one that is signed. Throws a BursarError that says why the offer cannot be paid.
   */
  check(offer: Offer, asset: Asset): { readonly payee: string; readonly memo?: string };
  /**
   * Signs exactly `terms`, then decodes the signed bytes again and compares (I2). `fees` is what was held of budgets when `fees` was asked: what
   * is signed can cost no more.
   * Nothing leaves the process here.
   * Throws `PROOF_MISMATCH`, `SIGNING_FAILED`, `CHAIN_UNREACHABLE`, `WALLET_LOCKED`.
   */
  sign(request: { readonly terms: Terms; readonly offer: Offer; readonly asset: Asset; readonly account: Account; readonly now: number; readonly signal: AbortSignal; readonly fees?: readonly Fee[] }): Promise<Proof>;
  /** Asks the chain. Never throws: an RPC that fails is `unreachable`. */
  observe(terms: Terms, track: Track, signal: AbortSignal): Promise<Observation>;
  /**
   * `prepay` and `hold`: sends what the journaled track holds and waits until it is certain, held or dead, or the signal aborts. It may be
   * called again after a crash or an unknown outcome: whatever was sent before is found and never sent as something else (I1, I10).
   * Never throws.
   */
  submit?(terms: Terms, track: Track, signal: AbortSignal): Promise<Observation>;
  /** The network's fee and the rent of accounts that have to be made, at most. Absent where the payer bears none. Throws `CHAIN_UNREACHABLE`. */
  fees?(terms: Terms, signal: AbortSignal, offer?: Offer): Promise<readonly Fee[]>;
  /** Absent where what is signed cannot be taken back but by waiting. */
  readonly cancel?: Cancel;
}

/** Balances. */
export interface Chain {
  /** Enabled networks. */
  networks(): readonly NetworkId[];
  /** May be up to ten seconds old unless `fresh`. Throws `CHAIN_UNREACHABLE`. */
  balance(asset: Asset, owner: string, options?: { readonly fresh?: boolean; readonly signal?: AbortSignal }): Promise<BaseUnits>;
}

/** Random bytes from the operating system. */
export type RandomBytes = (length: number) => Uint8Array;
