import { createHash, randomUUID } from 'node:crypto';
import { toErrorInfo } from '../../../shared/errors/errors.ts';
import { canonicalJson } from './canonical.ts';
import { hasFailed, type Call, type Reply } from './call.ts';
import type { Demand, SellingDialect, SentPayment } from './dialect.ts';
import type { PaymentEvent, PaymentLog } from './events.ts';
import type { PaymentRail, Settled, Settlement, Verdict } from './rail.ts';
import type { PaymentStore } from './store.ts';
import type { Challenge, Price, Product, RailOffer } from './terms.ts';

/** What all sales of a seller have in common. */
export interface PaymentDesk {
  readonly store: PaymentStore;
  readonly settle: Settlement;
  readonly log: PaymentLog;
  /** How long a challenge may be paid. */
  readonly challengeTtlMs: number;
  /** How long one sale may hold a proof or a challenge before another call may take it. */
  readonly leaseMs: number;
  /** Payments are verified and not collected. */
  readonly verifyOnly: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What one product is sold for, and how. */
export interface Sale {
  readonly product: Product;
  readonly dialect: SellingDialect;
  /** The seller's preference first. */
  readonly rails: readonly PaymentRail[];
  /** What a call costs; undefined where this call is free. */
  readonly price: (args: Readonly<Record<string, unknown>>) => Price | undefined;
  /** False lets everybody in without payment. */
  readonly enabled: boolean;
  /** At most this many sales to one payer within a minute. */
  readonly salesPerMinute?: number;
}

/** Delivers the goods; the arguments come without payments. */
export type Handler = (args: Readonly<Record<string, unknown>>) => Reply | Promise<Reply>;

const MINUTE_MS = 60_000;

/**
 * Puts a price on a handler. Without a payment the call is answered with a challenge; with one, the payment is verified, the
 * handler runs, and the money is settled before the goods leave. A handler that fails is not charged: its challenge is open
 * again. What was paid with is used up by a success, and by nothing else.
 */
export function withPayment(desk: PaymentDesk, sale: Sale, handler: Handler): (call: Call) => Promise<Reply> {
  const { dialect, rails } = sale;
  return async (call) => {
    const args = withoutPayment(call.args, dialect);
    const price = sale.enabled ? sale.price(args) : undefined;
    if (!price) return handler(args);

    const tell = teller(desk.log, sale);
    const ask = async (demand: Demand, known?: Challenge): Promise<Reply> => {
      const challenge = known ?? (await newChallenge(desk, sale, price, args));
      if (!known && dialect.storesChallenges) desk.store.put(challenge, desk.now());
      if (!known) tell(challenge, { type: 'challenge_issued' });
      return dialect.ask(challenge, demand, rails);
    };
    const sent = dialect.read(call, rails);
    if (!sent) return ask({ kind: 'required' });
    if ('unreadable' in sent) {
      tell(undefined, { type: 'payment_unreadable' });
      return ask({ kind: 'invalid', reason: sent.unreadable });
    }
    const found = dialect.storesChallenges ? storedChallenge(desk, sale, sent, args) : await newChallenge(desk, sale, price, args);
    if ('refused' in found) {
      tell(undefined, { type: found.refused });
      return ask({ kind: 'invalid', reason: found.reason });
    }
    const chosen = chooseOffer(found, sale, sent);
    if (!chosen) {
      tell(found, { type: 'terms_not_offered' });
      return ask({ kind: 'invalid', reason: 'the accepted terms are not among those offered' }, found);
    }
    return sell({ desk, sale, ask, tell, handler }, { challenge: found, args, sent, ...chosen });
  };
}

interface Chosen {
  readonly rail: PaymentRail;
  readonly offer: RailOffer;
}

interface Purchase extends Chosen {
  readonly challenge: Challenge;
  readonly args: Readonly<Record<string, unknown>>;
  readonly sent: SentPayment;
}

interface Counter {
  readonly desk: PaymentDesk;
  readonly sale: Sale;
  /** Asks for money: by the challenge given, or by a new one. */
  readonly ask: (demand: Demand, known?: Challenge) => Promise<Reply>;
  readonly tell: Teller;
  readonly handler: Handler;
}

async function sell({ desk, sale, ask, tell, handler }: Counter, purchase: Purchase): Promise<Reply> {
  const { store, now } = desk;
  const { challenge, rail, offer, args, sent } = purchase;
  const { dialect } = sale;
  tell(challenge, { type: 'payment_received', rail: rail.id, payment: rail.redact(sent.proof) });

  const keys = claimKeys(purchase, dialect);
  const taken = claimAll(desk, keys);
  if (taken !== 'claimed') {
    tell(challenge, { type: 'replay_refused' });
    return taken === 'used' ? ask({ kind: 'invalid', reason: 'it was used already' }) : ask({ kind: 'invalid', reason: 'it is being used by another call' }, challenge);
  }
  let sold = false;
  try {
    tell(challenge, { type: 'verify_started', rail: rail.id, payment: rail.redact(sent.proof) });
    const checked = await verify(purchase);
    if (!checked.valid) {
      tell(challenge, { type: 'verify_failed', rail: rail.id, reason: checked.reason });
      return await ask({ kind: checked.unknown ? 'unverified' : 'invalid', reason: checked.reason }, challenge);
    }
    tell(challenge, { type: 'verify_succeeded', rail: rail.id, payer: checked.payer });
    if (sale.salesPerMinute !== undefined && store.salesTo(checked.payer, now() - MINUTE_MS) >= sale.salesPerMinute) {
      tell(challenge, { type: 'wallet_limited', rail: rail.id, reason: 'too many sales' });
      return await ask({ kind: 'invalid', reason: `this wallet bought ${sale.salesPerMinute} times within a minute; the payment stays good, try again later` }, challenge);
    }

    const reply = await handler(args);
    if (hasFailed(reply)) {
      tell(challenge, { type: 'not_charged', rail: rail.id });
      return reply;
    }
    const outcome = await collect(desk, purchase, checked.payer);
    if (!outcome.settled?.success && !desk.verifyOnly) {
      tell(challenge, { type: 'settle_failed', rail: rail.id, reason: outcome.reason });
      return await ask({ kind: 'unsettled', reason: outcome.reason, ...(outcome.settled && { settled: outcome.settled }) }, challenge);
    }
    sold = true;
    for (const key of keys) store.consume(key, checked.payer, now());
    if (desk.verifyOnly) tell(challenge, { type: 'verified_only', rail: rail.id });
    else tell(challenge, { type: 'settled', rail: rail.id, payer: checked.payer, transaction: outcome.settled!.transaction });
    return dialect.hand(reply, { challenge, offer, settled: outcome.settled!, verdict: checked, at: now() });
  } finally {
    if (!sold) for (const key of keys) store.release(key);
  }
}

type Checked = Extract<Verdict, { valid: true }> | { readonly valid: false; readonly reason: string; readonly unknown: boolean };

async function verify({ rail, offer, challenge, sent }: Purchase): Promise<Checked> {
  try {
    const verdict = await rail.verify(sent.proof, offer, challenge);
    return verdict.valid ? verdict : { ...verdict, unknown: false };
  } catch (error) {
    return { valid: false, reason: toErrorInfo(error).message, unknown: true };
  }
}

async function collect(desk: PaymentDesk, { rail, offer, challenge, sent }: Purchase, payer: string): Promise<{ readonly settled?: Settled; readonly reason: string }> {
  if (desk.verifyOnly) return { settled: { success: false, transaction: '', network: offer.network, payer }, reason: '' };
  try {
    const settled = await desk.settle({ rail: rail.id, offer, challenge, proof: sent.proof, payer });
    return { settled, reason: settled.errorReason ?? 'the facilitator gave no reason' };
  } catch (error) {
    return { reason: toErrorInfo(error).message };
  }
}

/** The stored challenge that a payment names, if it may still pay for this call. */
function storedChallenge({ store, now }: PaymentDesk, { product }: Sale, { challengeId }: SentPayment, args: object): Challenge | { readonly refused: 'challenge_not_found' | 'challenge_expired'; readonly reason: string } {
  const challenge = challengeId === undefined ? undefined : store.challenge(challengeId);
  if (!challenge) return { refused: 'challenge_not_found', reason: 'there is no such challenge' };
  if (challenge.expiresAt <= now()) return { refused: 'challenge_expired', reason: 'the challenge expired' };
  if (challenge.product.name !== product.name || challenge.argumentsDigest !== digestOf(args)) return { refused: 'challenge_not_found', reason: 'the challenge is for another call' };
  return challenge;
}

async function newChallenge({ challengeTtlMs, now }: PaymentDesk, { product, rails }: Sale, price: Price, args: object): Promise<Challenge> {
  const id = randomUUID();
  const offered = await Promise.allSettled(rails.map((rail) => rail.offer({ product, price, challengeId: id })));
  const offers = offered.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failure = offered.find((result) => result.status === 'rejected');
  if (offers.length === 0 && failure) throw failure.reason;
  return { id, product, argumentsDigest: digestOf(args), price, offers, expiresAt: now() + challengeTtlMs };
}

function chooseOffer(challenge: Challenge, { dialect, rails }: Sale, sent: SentPayment): Chosen | undefined {
  for (const plain of challenge.offers) {
    const offer = dialect.word ? dialect.word(plain, challenge) : plain;
    const rail = rails.find(({ id }) => id === offer.rail);
    if (rail && sent.accepts(offer)) return { rail, offer };
  }
  return undefined;
}

/** What the purchase uses up: the stored challenge, and the money where it can be told apart. */
function claimKeys({ challenge, rail, sent }: Purchase, dialect: SellingDialect): readonly string[] {
  const spending = rail.spendingKey?.(sent.proof);
  return [...(dialect.storesChallenges ? [`challenge:${challenge.id}`] : []), ...(spending === undefined ? [] : [spending])];
}

function claimAll({ store, now, leaseMs }: PaymentDesk, keys: readonly string[]): ReturnType<PaymentStore['claim']> {
  const held: string[] = [];
  for (const key of keys) {
    const claim = store.claim(key, now(), now() + leaseMs);
    if (claim !== 'claimed') {
      for (const mine of held) store.release(mine);
      return claim;
    }
    held.push(key);
  }
  return 'claimed';
}

type OpenEvent = PaymentEvent extends infer Event ? (Event extends PaymentEvent ? Omit<Event, 'product' | 'dialect' | 'challenge'> : never) : never;
type Teller = (challenge: Challenge | undefined, event: OpenEvent) => void;

const teller =
  (log: PaymentLog, { product, dialect }: Sale): Teller =>
  (challenge, event) =>
    log({ ...event, product: product.name, dialect: dialect.id, challenge: challenge?.id ?? '' });

function withoutPayment(args: Readonly<Record<string, unknown>>, { paymentArguments = [] }: SellingDialect): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !paymentArguments.includes(name)));
}

/** Equal for equal arguments, in whatever order they were written. */
const digestOf = (args: object): string => createHash('sha256').update(canonicalJson(args)).digest('hex');
