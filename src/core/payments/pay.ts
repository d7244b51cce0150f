import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { Challenge } from '../challenges/dialect.ts';
import { detectChallenge, requireDialect } from '../challenges/registry.ts';
import { failpoint } from '../failpoint.ts';
import { isObject, parseJson } from '../json/json.ts';
import type { Clock, Journal, JournalTransaction, Policies, Proof, RandomBytes } from '../ports.ts';
import { assess, type Assessment } from '../policy/assess.ts';
import { requireRoomInQueue, type Approvals } from './approvals.ts';
import type { Outcome, PaidCall } from './call.ts';
import { chooseOffer, type Choice, type ChooseOfferPorts } from './choose-offer.ts';
import type { Demand, Intent } from './intent.ts';
import { newPayment } from './new-payment.ts';
import type { Change, Payment } from './payment.ts';
import { denied, reasonOf, refusal, unapproved } from './refusal.ts';
import type { Release } from './release.ts';
import { argumentsHash, callKey } from './terms.ts';
import { waitersOf } from './waiters.ts';

/** How long an owner may take to decide. */
const APPROVAL_LIFETIME_MS = 10 * 60_000;

/** How often a waiting client is told that the owner decides. */
const PROGRESS_EVERY_MS = 10_000;

/** A proof with less life than this is not sent again: it could expire on its way. */
const RESEND_MARGIN_MS = 8_000;

export interface PaymentPorts extends ChooseOfferPorts {
  readonly journal: Journal;
  readonly policies: Policies;
  readonly approvals: Approvals;
  readonly release: Release;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Called after every change of the journal. */
  readonly changed: () => void;
}

/** The road of a payment: challenge → intent → policy → approval → sign → journal → retry → answer. */
export interface Payments {
  /** Handles a server's answer to a call. Never rejects: whatever goes wrong is a refusal that says so (I9). */
  onAnswer(call: PaidCall): Promise<Outcome>;
}

export function createPayments(ports: PaymentPorts): Payments {
  const { journal, policies, approvals, release, keys, clock, random, changed } = ports;
  const running = new Map<string, { readonly outcome: Promise<Outcome>; readonly join: (signal: AbortSignal) => void }>();

  async function onAnswer(call: PaidCall): Promise<Outcome> {
    try {
      const challenge = readChallenge(call);
      if (!challenge) return { kind: 'pass' };
      const hash = argumentsHash(call.argumentsText);
      const key = callKey({ ...call, argumentsHash: hash });
      const same = running.get(key);
      if (same) {
        same.join(call.signal);
        return await same.outcome;
      }
      const waiters = waitersOf(call.signal);
      const outcome = pay({ call, challenge, argumentsHash: hash, callKey: key, signal: waiters.signal });
      running.set(key, { outcome, join: waiters.join });
      return await outcome.finally(() => running.delete(key));
    } catch (error) {
      return refusal(call, error, '');
    }
  }

  /** Undefined where the answer asks for nothing. One that asks and cannot be read leaves a row. */
  function readChallenge(call: PaidCall): Challenge | undefined {
    try {
      const response = parseJson(call.answerText);
      return isObject(response) ? detectChallenge(response) : undefined;
    } catch (error) {
      const unreadable = isBursarError(error, 'JSON_INVALID') ? new BursarError('CHALLENGE_MALFORMED', `The payment request cannot be read. ${error.message}`) : error;
      if (isBursarError(unreadable)) journalRefused({ call }, unreadable);
      throw unreadable;
    }
  }

  async function pay(demand: Demand): Promise<Outcome> {
    const earlier = journal.atomically((tx) => tx.latestOfCall(demand.callKey));
    return (earlier && (await resume(demand, earlier))) ?? (await purchase(demand, earlier));
  }

  /** Continues an earlier payment of the same call; undefined where this is a new purchase (design, "Dedupe"). */
  async function resume({ call }: Demand, earlier: Payment): Promise<Outcome | undefined> {
    if (earlier.service === 'delivered' || !earlier.proofText) return undefined;
    if (earlier.answerText) return release.handOver(earlier, earlier.answerText);
    if (earlier.money === 'dead' || (earlier.money === 'settled' && earlier.service === 'refused')) return undefined;
    if (clock.now() < (earlier.outstandingUntil ?? 0) - RESEND_MARGIN_MS) return release.send(call, earlier);
    if (earlier.money === 'settled') return undefined;
    throw new BursarError('PAYMENT_OUTCOME_UNKNOWN', 'An earlier payment for the same call is not settled yet.', { context: { payment: earlier.id } });
  }

  async function purchase(demand: Demand, earlier: Payment | undefined): Promise<Outcome> {
    const { call, challenge, signal } = demand;
    let choice: Choice;
    try {
      choice = await chooseOffer(ports, challenge, { client: call.client, upstream: call.upstream, tool: call.tool, argumentsHash: demand.argumentsHash }, signal);
    } catch (error) {
      if (isBursarError(error)) journalRefused({ call, demand }, error);
      throw error;
    }
    const intent: Intent = { ...demand, ...choice, mustAsk: mustAsk(challenge, earlier) || (keys.locked ? 'Asks because Bursar is locked' : '') };
    return (await payAllowed(intent)) ?? (await payAsked(intent));
  }

  /** Reserves, signs and journals in one commit. Undefined where the policy does not allow it (any more). */
  async function payAllowed(intent: Intent): Promise<Outcome | undefined> {
    if (journal.atomically((tx) => assessIn(tx, intent)).verdict !== 'allow') return undefined;
    let proof: Proof;
    try {
      proof = await sign(intent);
    } catch (error) {
      if (isBursarError(error)) journalRefused({ call: intent.call, demand: intent, choice: intent }, error);
      throw error;
    }
    const payment = journal.atomically((tx) => {
      const assessment = assessIn(tx, intent);
      if (assessment.verdict !== 'allow') return undefined; // another payment took the budget meanwhile; this proof is thrown away
      const reserved = insert(tx, intent, assessment, { decision: 'approved', money: 'reserved' });
      return tx.change(reserved.id, signedColumns(intent, proof), { kind: 'signed', detail: assessment.rule });
    });
    changed();
    return payment && release.send(intent.call, payment);
  }

  /** Reserves, then asks the owner; what the policy denies is journaled and refused. */
  async function payAsked(intent: Intent): Promise<Outcome> {
    const { call, challenge, signal } = intent;
    const { payment, assessment } = journal.atomically((tx) => {
      const assessed = assessIn(tx, intent);
      if (assessed.verdict !== 'deny') requireRoomInQueue(approvals.waiting(), call.client, assessed);
      const columns = assessed.verdict === 'deny' ? ({ decision: 'denied', money: 'none' } as const) : ({ decision: 'waiting', money: 'reserved' } as const);
      return { payment: insert(tx, intent, assessed, columns), assessment: assessed };
    });
    changed();
    if (payment.decision === 'denied') return refusal(call, denied(payment), payment.id);
    if (__FAILPOINTS__) failpoint('budget-reserved');

    const stopProgress = keepTelling(call);
    const expiresAt = clock.now() + APPROVAL_LIFETIME_MS;
    const answer = await approvals.ask({ payment, challenge, assessment, expiresAt }, signal).finally(stopProgress);
    if (__FAILPOINTS__) failpoint('owner-answered');
    try {
      if (answer !== 'approved') throw unapproved(answer);
      const proof = await sign(intent);
      const signed = journal.atomically((tx) => tx.change(payment.id, { decision: 'approved', ...signedColumns(intent, proof) }, { kind: 'signed', detail: 'approved by the owner' }));
      changed();
      return await release.send(call, signed);
    } catch (error) {
      if (journal.get(payment.id)?.money !== 'reserved') throw error;
      // Not journaled as signed, so nothing left the process and the budget is free again.
      const columns: Change = { decision: answer, money: 'none', service: 'refused', reason: reasonOf(error) };
      journal.atomically((tx) => tx.change(payment.id, columns, { kind: answer, detail: reasonOf(error).text }, { release: true }));
      changed();
      return refusal(call, error, payment.id);
    }
  }

  function keepTelling(call: PaidCall): () => void {
    let stop = () => {};
    const tell = () => {
      call.progress('Waiting for the owner to approve the payment in Bursar.');
      stop = clock.after(PROGRESS_EVERY_MS, tell);
    };
    tell();
    return () => stop();
  }

  function assessIn(tx: JournalTransaction, { terms, asset, mustAsk: reason }: Intent): Assessment {
    const now = Math.max(clock.now(), tx.highWater());
    return assess({ policy: policies.current().policy, terms, asset, now, used: (counter) => tx.used(counter), mustAsk: reason });
  }

  async function sign({ rail, terms, offer, asset, account, signal }: Intent): Promise<Proof> {
    if (signal.aborted) throw unapproved('cancelled');
    const proof = await rail.sign({ terms, offer, asset, account, now: clock.now(), signal });
    if (__FAILPOINTS__) failpoint('proof-signed');
    return proof;
  }

  function insert(tx: JournalTransaction, intent: Intent, assessment: Assessment, columns: Pick<Payment, 'decision' | 'money'>): Payment {
    const base = row({ call: intent.call, demand: intent, choice: intent });
    const isDenied = columns.decision === 'denied';
    const started = {
      ...base,
      ...columns,
      rule: assessment.rule,
      service: isDenied ? ('refused' as const) : ('open' as const),
      reason: isDenied ? { code: assessment.code, text: assessment.rule } : base.reason,
    };
    return tx.insert(started, isDenied ? [] : assessment.uses, { kind: 'challenged', detail: assessment.rule });
  }

  const row = (known: { call: PaidCall; demand?: Demand; choice?: Choice }) => newPayment({ ...known, random, policyNumber: policies.current().number });

  /** A row for a demand that never became an intent, so that the owner sees it (I9). */
  function journalRefused(known: { call: PaidCall; demand?: Demand; choice?: Choice }, error: BursarError): void {
    const refused = { ...row(known), decision: 'denied' as const, service: 'refused' as const, reason: reasonOf(error) };
    journal.atomically((tx) => tx.insert(refused, [], { kind: 'refused', detail: error.message.slice(0, 500) }));
    changed();
  }

  return { onAnswer };
}

function signedColumns({ challenge, offer }: Intent, proof: Proof): Change {
  const { meta } = requireDialect(challenge.dialect).attach(challenge, offer, proof.payloadText);
  const members = Object.entries(meta).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return { money: 'outstanding', proofText: `{${members.join(',')}}`, track: proof.track, outstandingUntil: proof.outstandingUntil };
}

/** Why this payment may not be made without asking, whatever the rules say. */
function mustAsk(challenge: Challenge, earlier: Payment | undefined): string {
  if (challenge.textOnly) return 'Asks because the price stood in plain text, which a fetched page could have written too';
  if (earlier?.money === 'settled' && earlier.service !== 'delivered') return 'Asks because this call was paid before and got no answer';
  return '';
}
