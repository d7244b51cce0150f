import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Challenge, Offer } from '../challenges/dialect.ts';
import { createKnownInstances } from '../challenges/known-instances.ts';
import { requireDialect } from '../challenges/registry.ts';
import { failpoint } from '../failpoint.ts';
import { stringifyJson } from '../json/json.ts';
import type { Clock, Fee, Integrity, Journal, JournalTransaction, Proof, RandomBytes, Signatures } from '../ports.ts';
import type { Assessment } from '../policy/assess.ts';
import type { PresenceRule } from '../policy/presence.ts';
import { withRoomInQueue, type Approvals } from './approvals.ts';
import { assessIntent, assessNow, stillHolds, type AssessPorts, type Reserved } from './assess-intent.ts';
import type { Outcome, PaidCall } from './call.ts';
import { chooseOffer, type Choice, type ChooseOfferPorts } from './choose-offer.ts';
import { NoOfferError, type ConsideredOffer } from './considered.ts';
import { demandIn } from './demand-in.ts';
import type { Demand, Intent } from './intent.ts';
import { newPayment } from './new-payment.ts';
import { mustAsk } from './must-ask.ts';
import { ownersOrderAsks } from './order-asks.ts';
import { proofText } from './proof-text.ts';
import type { Change, Payment } from './payment.ts';
import { denied, reasonOf, refusal, unapproved } from './refusal.ts';
import type { Release } from './release.ts';
import { checkSignedOffer } from './signed-terms.ts';
import { argumentsHash, callKey, termsDigest } from './terms.ts';
import { createResume } from './resume.ts';
import { createRuns, type Run } from './runs.ts';
import { createUntold } from './untold.ts';

/** A challenge is terms, not freight: every row keeps one for ever. */
const MAX_CHALLENGE_CHARACTERS = 65_536;

/** How long choosing an offer may take in all: each asks a network for a balance, and a silent one answers slowly. */
const CHOOSING_LIMIT_MS = 10_000;

/** How long an owner may take to decide. */
const APPROVAL_LIFETIME_MS = 10 * 60_000;

export interface PaymentPorts extends ChooseOfferPorts, AssessPorts {
  readonly journal: Journal;
  readonly approvals: Approvals;
  readonly integrity: Integrity;
  readonly release: Release;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly signatures: Signatures;
  /** How long a client waits for an answer before it gives up by itself (ms). */
  readonly patience: (client: string) => number;
  /** From which amount on the owner proves to be there; never without it. */
  readonly presence?: () => PresenceRule;
  /** Called after every change of the journal. */
  readonly changed: () => void;
  /** Called for every request for money that could be read, with its dialect. */
  readonly challenged?: (call: PaidCall, dialect: string) => void;
}

/** The road of a payment: challenge → intent → policy → approval → sign → journal → retry → answer. */
export interface Payments {
  /** Handles a server's answer to a call. Never rejects: whatever goes wrong is a refusal that says so (I9). */
  onAnswer(call: PaidCall): Promise<Outcome>;
  /** After the policy or a client's scopes changed: ends what waits and is denied now. What would be allowed now still waits, for the owner was asked. */
  reassess(): void;
  /** Takes back a payment that is not signed yet, for its owner. False where it does not wait (any more). */
  withdraw(paymentId: string): Promise<boolean>;
  /** Ends what waits for the owner or the agent and is of such a client, with the reason that its agent is told. */
  callOff(isConcerned: (client: string, intent: Intent) => boolean, reason: BursarError): void;
}

export function createPayments(ports: PaymentPorts): Payments {
  const { journal, policies, approvals, integrity, release, keys, clock, random, signatures, patience, changed, challenged } = ports;
  const untold = createUntold({ journal, clock, changed });
  const instances = createKnownInstances();
  const runs = createRuns({ clock, patience, onTold: untold.sentAway });
  const resume = createResume(ports);

  async function onAnswer(call: PaidCall): Promise<Outcome> {
    try {
      const challenge = readChallenge(call);
      if (!challenge) return { kind: 'pass' };
      const hash = argumentsHash(call.argumentsText);
      return await join({ call, challenge, argumentsHash: hash, callKey: callKey({ ...call, argumentsHash: hash }) });
    } catch (error) {
      return refusal(call, error, '');
    }
  }

  /** Lets a call wait with its equals, or begins anew. */
  async function join(asked: Omit<Demand, 'run'>): Promise<Outcome> {
    const { call } = asked;
    for (;;) {
      const run = runs.find(asked.callKey, call.startedAt);
      if (!run) {
        const opened = runs.open(asked.callKey);
        const outcome = opened.callers.add(call);
        void runs.begin(opened, pay({ ...asked, run: opened }).catch((error: unknown) => refusal(call, error, '')));
        return outcome;
      }
      if (!run.callers.idle || (await renew(run, { ...asked, run }))) return run.callers.add(call);
    }
  }

  /** The owner was asked for a call that comes back: only the very same terms go on, under their new challenge. False where all begins anew. */
  async function renew(run: Run, demand: Demand): Promise<boolean> {
    const choice = await choose(demand, demand.call.signal);
    const signed = await checkSignedOffer(signatures, demand.challenge, choice.offer, clock.now());
    if (!run.callers.idle) return false; // another call came, or the payment ended meanwhile
    const sameTerms = termsDigest(choice.terms) === run.payment?.termsDigest && choice.offer.paymentFlow === run.paymentFlow;
    const asShown = !signed?.mustAsk || signed.mustAsk === run.waiting?.intent.signedOffer?.mustAsk;
    if (sameTerms && asShown) {
      run.instance = { ...demand, ...choice, mustAsk: '', ...(signed && { signedOffer: signed }) };
      return true;
    }
    const what = sameTerms ? 'asked anew with an offer whose signature is not in order' : 'changed its terms before it was paid';
    await runs.dismiss(run, new BursarError('APPROVAL_STALE', `The server ${what}, so the owner is asked anew.`));
    return false;
  }

  /** Undefined where the answer asks for nothing. One that asks and cannot be read leaves a row. */
  function readChallenge(call: PaidCall): Challenge | undefined {
    try {
      const challenge = demandIn(call.answer, call);
      if (challenge && stringifyJson(challenge.source).length > MAX_CHALLENGE_CHARACTERS) {
        throw new BursarError('CHALLENGE_MALFORMED', `The payment request is longer than ${MAX_CHALLENGE_CHARACTERS} characters.`);
      }
      if (challenge) {
        challenged?.(call, challenge.dialect);
        call.requireMayPay?.();
        instances.requireSame(call.upstream, challenge);
        if (challenge.offers.every(isExpired)) throw expired();
      }
      return challenge;
    } catch (error) {
      if (isBursarError(error)) journalRefused({ call }, error);
      throw error;
    }
  }

  async function pay(demand: Demand): Promise<Outcome> {
    const { missed, earlier } = journal.atomically((tx) => {
      integrity.requireSound();
      const refused = untold.missed(tx, demand.callKey);
      return { missed: refused, earlier: refused ? undefined : tx.latestOfCall(demand.callKey) };
    });
    if (missed) return untold.tell(demand.call, missed);
    return (earlier && (await resume(demand.call, earlier))) ?? (await purchase(demand, earlier));
  }

  async function purchase(demand: Demand, earlier: Payment | undefined): Promise<Outcome> {
    const { call, challenge } = demand;
    let choice: Choice;
    try {
      choice = await choose(demand, demand.run.callers.signal);
    } catch (error) {
      if (isBursarError(error)) journalRefused({ call, demand }, error);
      throw error;
    }
    const signed = await checkSignedOffer(signatures, challenge, choice.offer, clock.now());
    const reasons = [mustAsk(challenge, choice, earlier, clock.now()), ownersOrderAsks(challenge.order, choice, ports), signed?.mustAsk, keys.locked ? 'Asks because Bursar is locked' : ''];
    const intent: Intent = { ...demand, ...choice, mustAsk: reasons.find(Boolean) ?? '', ...(signed && { signedOffer: signed }) };
    return (await payAllowed(intent)) ?? (await payAsked(intent));
  }

  async function choose({ call, challenge, argumentsHash: hash }: Demand, signal: AbortSignal): Promise<Choice> {
    const limit = new AbortController();
    const cancelLimit = clock.after(CHOOSING_LIMIT_MS, () => limit.abort());
    const parties = { client: call.client, upstream: call.upstream, tool: call.tool, argumentsHash: hash };
    const { limit: most } = call;
    return chooseOffer(ports, { challenge, call: parties, ...(most && { most }) }, AbortSignal.any([signal, limit.signal])).finally(cancelLimit);
  }

  /** Reserves, signs and journals in one commit. Undefined where the policy does not allow it (any more). */
  async function payAllowed(intent: Intent): Promise<Outcome | undefined> {
    const before = journal.atomically((tx) => assessNow(tx, intent, clock.now(), ports));
    if (before.assessment.verdict !== 'allow') return undefined;
    let proof: Proof;
    try {
      proof = await sign(intent);
    } catch (error) {
      if (isBursarError(error)) journalRefused({ call: intent.call, demand: intent, choice: intent }, error);
      throw error;
    }
    const payment = journal.atomically((tx) => {
      intent.call.requireMayPay?.();
      const assessment = stillHolds(tx, intent, { before, now: clock.now(), policies }) ? before.assessment : assessIn(tx, intent);
      if (assessment.verdict !== 'allow') return undefined; // another payment took the budget meanwhile; this proof is thrown away
      const reserved = insert(tx, intent, assessment, { decision: 'approved', money: 'reserved' });
      return tx.change(reserved.id, signedColumns(intent, proof), { kind: 'signed', detail: assessment.rule });
    });
    changed();
    return payment && release.send(intent.call, payment);
  }

  /** Reserves, then asks the owner; what the policy denies is journaled and refused. */
  async function payAsked(intent: Intent): Promise<Outcome> {
    const { call, challenge, run } = intent;
    const { payment, assessment } = journal.atomically((tx) => {
      call.requireMayPay?.();
      const assessed = withRoomInQueue(assessIn(tx, intent), approvals.waiting(), call.client);
      const columns = assessed.verdict === 'deny' ? ({ decision: 'denied', money: 'none' } as const) : ({ decision: 'waiting', money: 'reserved' } as const);
      return { payment: insert(tx, intent, assessed, columns), assessment: assessed };
    });
    changed();
    if (payment.decision === 'denied') return refusal(call, denied(payment), payment.id);
    if (__FAILPOINTS__) failpoint('budget-reserved');

    const expiresAt = clock.now() + APPROVAL_LIFETIME_MS;
    run.payment = payment;
    run.paymentFlow = intent.offer.paymentFlow;
    run.waiting = { intent, reserved: assessment };
    run.callers.ask({ kind: 'pending', paymentId: payment.id, expiresAt });
    let answer = await approvals.ask({ payment, challenge, assessment, fees: intent.fees, expiresAt }, AbortSignal.any([run.callers.signal, integrity.alarm]));
    run.callers.answered();
    if (__FAILPOINTS__) failpoint('owner-answered');
    try {
      if (answer === 'cancelled') integrity.requireSound();
      if (answer !== 'rejected') requireNotPaused();
      if (answer !== 'approved') throw unapproved(answer, run.callers.signal.reason);
      const payer = run.callers.current() ?? (await untold.collected(payment, run.callers, expiresAt));
      if (!payer) {
        answer = run.callers.signal.aborted ? 'cancelled' : 'expired';
        throw untold.uncollected(run.callers.signal);
      }
      const instance = run.instance ?? intent;
      const proof = await sign({ ...instance, fees: intent.fees });
      const signed = journal.atomically((tx) => {
        requireNotPaused();
        const refused = accessLost(payer) ?? deniedNow(tx, intent, assessment);
        if (refused) {
          answer = 'cancelled';
          throw refused;
        }
        run.waiting = undefined;
        const paid = evidenceOf(instance);
        const isRenewed = paid.challengeText !== payment.challengeText || paid.offerText !== payment.offerText;
        if (isRenewed) tx.change(payment.id, {}, { kind: 'renewed', detail: `The server asked anew under the same terms, and that request is paid. The owner was shown: ${payment.challengeText}` });
        if (isRenewed && instance.signedOffer) tx.change(payment.id, {}, { kind: 'evidence', detail: instance.signedOffer.note });
        return tx.change(payment.id, { decision: 'approved', ...(isRenewed && paid), ...signedColumns(instance, proof) }, { kind: 'signed', detail: 'approved by the owner' });
      });
      changed();
      return await release.send(payer, signed);
    } catch (error) {
      if (journal.get(payment.id)?.money !== 'reserved') throw error;
      // Not journaled as signed, so nothing left the process and the budget is free again.
      const untoldYet = run.callers.idle && !isBursarError(error, 'APPROVAL_STALE'); // under new terms the agent is not refused but asked for
      const columns: Change = { decision: answer, money: 'none', service: untoldYet ? 'lost' : 'refused', reason: reasonOf(error) };
      journal.atomically((tx) => tx.change(payment.id, columns, { kind: answer, detail: reasonOf(error).text }, { release: true }));
      changed();
      return refusal(call, error, payment.id);
    }
  }

  const isExpired = ({ expiresAt }: Offer): boolean => expiresAt !== undefined && clock.now() >= expiresAt;

  const assessIn = (tx: JournalTransaction, intent: Intent): Assessment => assessIntent(tx, intent, clock.now(), ports);

  /** Why the policy as it is by now does not let a payment go on that the owner was asked about. */
  function deniedNow(tx: JournalTransaction, intent: Intent, reserved: Reserved): BursarError | undefined {
    const { verdict, code, rule } = assessIntent(tx, intent, clock.now(), { ...ports, reserved });
    return verdict === 'deny' ? new BursarError(code || 'POLICY_DENIED', `The policy changed while the payment waited. ${rule}.`) : undefined;
  }

  /** A pause holds for what the owner had approved but is not signed yet. */
  function requireNotPaused(): void {
    if (policies.current().policy.paused) throw new BursarError('PAYMENTS_PAUSED', 'The owner has paused all payments.');
  }

  async function sign({ rail, terms, offer, asset, account, fees, run: { callers: { signal } } }: Intent): Promise<Proof> {
    if (signal.aborted) throw unapproved('cancelled', signal.reason);
    if (isExpired(offer)) throw expired();
    const proof = await rail.sign({ terms, offer, asset, account, fees, now: clock.now(), signal });
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
    const inserted = tx.insert(started, isDenied ? [] : [assessment.use, ...assessment.fees], { kind: 'challenged', detail: assessment.rule });
    const notes = [
      ...(isDenied ? [] : intent.fees.map((fee) => ({ kind: 'fee', detail: feeText(fee) }))),
      ...(intent.signedOffer === undefined ? [] : [{ kind: 'evidence', detail: intent.signedOffer.note }]),
    ];
    return notes.reduce((payment, note) => tx.change(payment.id, {}, note), inserted);
  }

  const row = (known: { call: PaidCall; demand?: Demand; choice?: Choice; considered?: readonly ConsideredOffer[] }) => newPayment({ ...known, random, policyNumber: policies.current().number });

  /** A row for a demand that never became an intent, so that the owner sees it (I9). */
  function journalRefused(known: { call: PaidCall; demand?: Demand; choice?: Choice }, error: BursarError): void {
    const considered = error instanceof NoOfferError ? { considered: error.considered } : {};
    const refused = { ...row({ ...known, ...considered }), decision: 'denied' as const, service: 'refused' as const, reason: reasonOf(error) };
    journal.atomically((tx) => tx.insert(refused, [], { kind: 'refused', detail: error.message.slice(0, 500) }));
    changed();
  }

  return {
    onAnswer,
    reassess() {
      for (const run of runs.waiting()) {
        const { intent, reserved } = run.waiting!;
        const refused = accessLost(run.callers.current() ?? intent.call) ?? journal.atomically((tx) => deniedNow(tx, intent, reserved));
        if (refused) void runs.dismiss(run, refused);
      }
    },
    callOff(isConcerned, reason) {
      for (const run of runs.waiting()) if (isConcerned(run.waiting!.intent.call.client, run.waiting!.intent)) void runs.dismiss(run, reason);
    },
    async withdraw(paymentId) {
      const run = runs.ofPayment(paymentId);
      if (!run || journal.get(paymentId)?.money !== 'reserved') return false;
      await runs.dismiss(run, new BursarError('APPROVAL_CANCELLED', 'The owner took the payment back.'));
      return journal.get(paymentId)?.money === 'none';
    },
  };
}

/** Why the client may not have this paid any more. */
function accessLost({ requireMayPay }: PaidCall): BursarError | undefined {
  try {
    requireMayPay?.();
    return undefined;
  } catch (error) {
    if (isBursarError(error)) return error;
    throw error;
  }
}

/** What stands beside the proof: the challenge and the offer that it answers. */
const evidenceOf = ({ challenge, offer }: Pick<Intent, 'challenge' | 'offer'>) => ({ challengeText: stringifyJson(challenge.source), offerText: stringifyJson(offer.source) });

function signedColumns({ challenge, offer }: Intent, proof: Proof): Change {
  const edit = requireDialect(challenge.dialect).attach(challenge, offer, proof.payloadText);
  return { money: 'outstanding', proofText: proofText(edit), track: proof.track, outstandingUntil: proof.outstandingUntil };
}

const feeText = ({ asset, units, rent }: Fee): string => {
  const write = (part: bigint) => `${formatUnits(part, asset.decimals, 2)} ${asset.symbol}`;
  return `Network fee: up to ${write(units)}, paid beside the price.${rent === undefined ? '' : ` ${write(rent)} of it is rent for a token account that is made for the payee.`}`;
};

const expired = () => new BursarError('CHALLENGE_EXPIRED', 'The server takes no payment for this request any more; it has expired.');
