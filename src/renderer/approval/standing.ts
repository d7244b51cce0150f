import type { ApprovalView } from '../../shared/contract/approvals.ts';
import type { RuleProposal, StandingAct } from '../../shared/contract/standing-rules.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import { localFailure, type Link } from '../client/link.ts';
import type { UnprovenAct } from '../client/prove.ts';
import { approvalTexts } from '../texts/approval.ts';
import { standingTexts as texts } from '../texts/standing-rules.ts';
import { instanceOf, type Desk, type DeskState } from './desk.ts';
import { isRuleProposal } from './proposal-check.ts';

export interface StandingState {
  /** What is being said for the next times; undefined while nothing is. */
  readonly kind: StandingAct['kind'] | undefined;
  /** The request that it is said beside. */
  readonly approval: ApprovalView | undefined;
  /** What main would save; the amount is asked for while it is absent. */
  readonly proposal: RuleProposal | undefined;
  /** True once the proposal was on screen for its second. Main decides again for itself. */
  readonly answerable: boolean;
  readonly busy: 'propose' | 'save' | undefined;
  /** The saving that main wants proof of the owner's presence for. */
  readonly proving: UnprovenAct | undefined;
  readonly error: ErrorInfo | undefined;
}

export interface Standing {
  readonly state: () => StandingState;
  /** Begins; what blocks a server is proposed at once, a tool's amount is asked for first. */
  readonly begin: (kind: StandingAct['kind']) => void;
  readonly propose: (perDay: string) => Promise<void>;
  /** From the proposal back to the amount. */
  readonly back: () => void;
  readonly close: () => void;
  readonly save: () => Promise<void>;
  /** Main has the proof for `proving`: saves what is on screen, as soon as it may be saved again. */
  readonly proven: () => Promise<void>;
  /** Back to the proposal; nothing is saved. */
  readonly stopProving: () => void;
  /** Ends what was said beside a request that is no longer the one on screen. */
  readonly follow: (desk: DeskState) => void;
}

export interface StandingOptions {
  readonly link: Link;
  readonly desk: Pick<Desk, 'state' | 'refresh' | 'decide' | 'tell'>;
  readonly onChange: (state: StandingState) => void;
  readonly now?: () => number;
}

const CLOSED: StandingState = { kind: undefined, approval: undefined, proposal: undefined, answerable: false, busy: undefined, proving: undefined, error: undefined };
/** As on the desk: main's second, and what timers may fire early. */
const SECOND = 1_000;
const MARGIN = 20;

/** True while the owner may press the button that saves. */
export function canSave({ kind, approval, proposal, answerable, busy }: StandingState, desk: DeskState, now: number): boolean {
  if (!proposal || !answerable || busy || !approval || instanceOf(approval) !== instanceOf(desk.approval)) return false;
  if (!desk.current || !desk.attended || !desk.answerable || desk.deciding || desk.link.phase !== 'open' || now >= approval.expiresAt) return false;
  return kind === 'block-server' || (desk.owner === 'enough' && desk.approval?.locked === false);
}

/** Keeps what the owner is saying for the next times, beside the request on screen. It is main's proposal that is shown, and that main saves. */
export function openStanding({ link, desk, onChange, now = Date.now }: StandingOptions): Standing {
  let state = CLOSED;
  /** Every step ends what the one before was waiting for. */
  let turn = 0;
  let second: ReturnType<typeof setTimeout> | undefined;
  /** The proposal whose saving is proven and not sent yet: what asked for the proof took the focus, and the request's second begins anew. */
  let provenFor = '';

  const change = (next: Partial<StandingState>): void => {
    state = { ...state, ...next };
    onChange(state);
  };

  const step = (next: StandingState): number => {
    clearTimeout(second);
    provenFor = '';
    change(next);
    return ++turn;
  };

  async function ask(act: StandingAct): Promise<void> {
    const { approval } = state;
    if (!approval || state.busy) return;
    const at = step({ ...state, proposal: undefined, answerable: false, busy: 'propose', error: undefined });
    const reply = await link.request('approvals.proposeRule', { ...shownOf(approval), act });
    if (at !== turn) return;
    if (!reply.ok) return change({ busy: undefined, error: reply.error });
    const proposal: unknown = reply.value;
    if (!isRuleProposal(proposal) || proposal.kind !== act.kind) return change({ busy: undefined, error: localFailure('unreadable', texts.unreadable, approvalTexts.unreadableHint).error });
    change({ busy: undefined, proposal });
    second = setTimeout(() => at === turn && change({ answerable: true }), Math.min(SECOND, Math.max(0, proposal.answerableAt - now())) + MARGIN);
  }

  const close = (): void => {
    if (state.kind !== undefined) step(CLOSED);
  };

  async function save(): Promise<void> {
    const { approval, proposal, kind } = state;
    if (!approval || !proposal || !canSave(state, desk.state(), now())) return;
    change({ busy: 'save', proving: undefined, error: undefined });
    const act = { ...shownOf(approval), proposal: proposal.id, kind: proposal.kind };
    const reply = await link.request('approvals.saveRule', act);
    if (!reply.ok) {
      if (instanceOf(state.approval) !== instanceOf(approval)) return;
      if (reply.error.code === 'PRESENCE_REQUIRED') return change({ busy: undefined, proving: { route: 'approvals.saveRule', input: act } });
      // What was proposed is no longer what would be saved: it has to be read anew.
      return reply.error.code === 'APPROVAL_STALE' ? change({ busy: undefined, proposal: undefined, error: reply.error }) : change({ busy: undefined, error: reply.error });
    }
    step(CLOSED);
    if (kind === 'block-server') {
      desk.tell(texts.blocked(approval.upstream));
      return desk.refresh();
    }
    await desk.refresh();
    await desk.decide('approve');
    const after = desk.state();
    if (instanceOf(after.approval) !== instanceOf(approval)) return desk.tell([after.notice, texts.allowed].filter(Boolean).join(' '));
    desk.tell(after.proving ? texts.provesToo : texts.stillWaits);
  }

  async function goOn(): Promise<void> {
    if (provenFor === '' || !canSave(state, desk.state(), now())) return;
    const same = provenFor === state.proposal?.id;
    provenFor = '';
    if (same) await save();
  }

  async function proven(): Promise<void> {
    if (!state.proving) return;
    provenFor = state.proposal?.id ?? '';
    change({ proving: undefined, error: undefined });
    await goOn();
  }

  return {
    state: () => state,
    begin(kind) {
      const { approval } = desk.state();
      if (!approval) return;
      step({ ...CLOSED, kind, approval });
      if (kind === 'block-server') void ask({ kind });
    },
    propose: (perDay) => ask({ kind: 'allow-tool', perDay }),
    back: () => void step({ ...state, proposal: undefined, answerable: false, busy: undefined, proving: undefined, error: undefined }),
    close,
    save,
    proven,
    stopProving: () => change({ proving: undefined }),
    follow({ approval }) {
      if (state.kind === undefined || state.busy === 'save') return;
      if (instanceOf(approval) !== instanceOf(state.approval)) return close();
      // The same request with other figures or unlocked: the buttons look at them.
      onChange(state);
      void goOn();
    },
  };
}

const shownOf = ({ paymentId, termsDigest, nonce }: ApprovalView) => ({ paymentId, termsDigest, nonce });
