import type { ToolFacts } from '../core/challenges/tool-facts.ts';
import { createApprovals, type Approvals } from '../core/payments/approvals.ts';
import type { PaidCall } from '../core/payments/call.ts';
import { createCancellations, type Cancellations } from '../core/payments/cancel.ts';
import { clientProfile } from '../core/payments/client-profiles.ts';
import { createKeptAnswers, type KeptAnswers } from '../core/payments/kept-answers.ts';
import { createOutputSchemas, type OutputSchemas } from '../core/payments/output-schemas.ts';
import { createPayments, type Payments } from '../core/payments/pay.ts';
import { createReconciler, type Reconciler } from '../core/payments/reconcile.ts';
import { createRelease } from '../core/payments/release.ts';
import { claimedName } from '../core/policy/unverified.ts';
import type { Chain, Clock, Integrity, Journal, Keys, Log, Policies, Rail, RandomBytes } from '../core/ports.ts';
import type { Home } from './adapters/home/home.ts';
import { createSchemaCheck } from './adapters/schema-check.ts';
import { createSignatures } from './adapters/signatures.ts';

export interface PaymentWiring {
  readonly home: Home;
  readonly journal: Journal;
  readonly policies: Policies;
  readonly integrity: Integrity;
  readonly keys: Keys;
  readonly rails: readonly Rail[];
  readonly chain: Chain;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly facts: ToolFacts;
  /** Is this the name of a server? A bought address is no tool of one. */
  readonly isUpstream: (name: string) => boolean;
  readonly changed: () => void;
  readonly approvalsChanged: () => void;
}

/** The core at work: from a challenge to the receipt, and what follows up later. */
export interface WiredPayments {
  readonly payments: Payments;
  readonly approvals: Approvals;
  readonly reconciler: Reconciler;
  readonly keptAnswers: KeptAnswers;
  readonly cancellations: Cancellations;
  readonly schemas: OutputSchemas;
}

export function wirePayments({ home, journal, policies, integrity, keys, rails, chain, clock, random, log, facts, isUpstream, changed, approvalsChanged }: PaymentWiring): WiredPayments {
  const approvals = createApprovals({ clock, random, changed: approvalsChanged });
  const reconciler = createReconciler({ journal, integrity, rails, clock, log, changed });
  const signatures = createSignatures();
  const schemas = createOutputSchemas(createSchemaCheck());
  const release = createRelease({ journal, rails, reconciler, signatures, clock, log, changed, schemas });
  const patience = (client: string): number => {
    const name = claimedName(client);
    const own = home.config().clients?.[name];
    return own ? own.answerWithinSeconds * 1000 : clientProfile(name).answerWithinMs;
  };
  const challenged = ({ upstream, tool }: PaidCall, dialect: string): void => {
    if (isUpstream(upstream)) facts.noteChallenge(upstream, tool, dialect);
  };
  const settlement = (upstream: string) => (home.config().clientSettlement?.includes(upstream) ? 'client' : undefined);
  return {
    approvals,
    reconciler,
    schemas,
    keptAnswers: createKeptAnswers({ journal, integrity, clock, log, changed }),
    cancellations: createCancellations({ journal, rails, keys, reconciler, changed }),
    payments: createPayments({ challenged, patience, settlement, journal, policies, approvals, integrity, release, keys, rails, chain, clock, random, signatures, changed }),
  };
}
