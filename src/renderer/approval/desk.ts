import type { ApprovalView } from '../../shared/contract/approvals.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { UnprovenAct } from '../client/prove.ts';
import { isLinkLost, isRecord, localFailure, type Link, type LinkState } from '../client/link.ts';
import { formatMoney } from '../format/money.ts';
import { approvalTexts as texts } from '../texts/approval.ts';
import { isApprovalView } from './approval-check.ts';

export type DecisionMade = 'approve' | 'reject';

/** All that the page shows. A new object for every change. */
export interface DeskState {
  readonly link: LinkState;
  /** False until main answered once. */
  readonly read: boolean;
  readonly approval: ApprovalView | undefined;
  readonly count: number;
  /** True while the terms on screen are known to be the ones that main has. */
  readonly current: boolean;
  /** True once main's second of being visible and focused is over. */
  readonly answerable: boolean;
  readonly attended: boolean;
  readonly deciding: DecisionMade | undefined;
  /** The approval that main wants proof of the owner's presence for. */
  readonly proving: UnprovenAct | undefined;
  /** `unlock`: the passphrase is needed; `unset`: it is needed and none was set yet. */
  readonly owner: 'enough' | 'unlock' | 'unset';
  readonly unlocking: boolean;
  readonly error: ErrorInfo | undefined;
  /** True while the owner has stopped all payments. */
  readonly paused: boolean;
  /** What was decided last, in a sentence. */
  readonly notice: string;
}

export interface Desk {
  readonly state: () => DeskState;
  /** Reads the waiting approval again. */
  readonly refresh: () => Promise<void>;
  /** Tells main whether the page is visible and focused now. */
  readonly attend: () => Promise<void>;
  readonly decide: (decision: DecisionMade) => Promise<void>;
  readonly unlock: (passphrase: string) => Promise<void>;
  readonly link: Link;
  /** Main has the proof for `proving`: goes on with the approval, as soon as it may be answered again. */
  readonly proven: () => Promise<void>;
  /** Back to the request; nothing is decided. */
  readonly stopProving: () => void;
  readonly dismissError: () => void;
  /** Says in a sentence what was done. */
  readonly tell: (notice: string) => void;
}

export interface DeskOptions {
  readonly link: Link;
  /** True while the page is visible and has the focus. */
  readonly isAttended: () => boolean;
  readonly onChange: (state: DeskState) => void;
  /** The request that the owner asked to see; the oldest one where it is undefined or does not wait. */
  readonly chosen?: () => string | undefined;
  readonly now?: () => number;
}

/** The rule's second; also the longest wait, should the clocks of page and main differ. */
const SECOND = 1_000;
/** Events are gathered for so long: an agent that asks in a loop must not drive the page over main's bounds. */
const GATHER = 50;
/** Timers may fire a little early, and main would refuse. */
const MARGIN = 20;

/** True while the owner may press the button of that decision. Main decides again for itself. */
export function canDecide(state: DeskState, decision: DecisionMade, now: number): boolean {
  const { approval } = state;
  if (!approval || !state.current || !state.answerable || !state.attended || state.deciding || state.link.phase !== 'open') return false;
  if (now >= approval.expiresAt) return false;
  return decision === 'reject' || (!approval.locked && state.owner === 'enough');
}

/** Names a request under the terms and the nonce that it was read with; empty for none. */
export const instanceOf = (approval: ApprovalView | undefined): string => (approval ? `${approval.paymentId} ${approval.termsDigest} ${approval.nonce}` : '');
const ownerMissing = (error: ErrorInfo): boolean => error.code === 'OWNER_REQUIRED' || error.code === 'WALLET_LOCKED';

/**
 * Keeps the state of the approval page: what waits, whether it may be answered, and the owner's answer.
 * Terms that main may have changed are never answerable: every event and every lost connection takes `current` away until they are read again.
 */
export function openDesk({ link, isAttended, onChange, chosen = () => undefined, now = Date.now }: DeskOptions): Desk {
  let state: DeskState = {
    link: link.state(),
    read: false,
    approval: undefined,
    count: 0,
    current: false,
    answerable: false,
    attended: isAttended(),
    deciding: undefined,
    proving: undefined,
    owner: 'enough',
    unlocking: false,
    error: undefined,
    paused: false,
    notice: '',
  };
  let readTurn = 0;
  let attendTurn = 0;
  /** The request whose approval is proven and not sent yet: what asked for the proof took the focus, and the second begins anew. */
  let provenFor = '';
  /** The request that main was told to be looked at on this connection; empty for none. */
  let reported = '';
  let second: ReturnType<typeof setTimeout> | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;

  const change = (next: Partial<DeskState>): void => {
    state = { ...state, ...next };
    onChange(state);
  };

  async function refresh(): Promise<void> {
    const turn = ++readTurn;
    change({ current: false });
    const reply = await readChosen();
    if (turn !== readTurn) return;
    if (!reply.ok) return readFailed(reply.error);
    const value: unknown = reply.value;
    const approval = isRecord(value) ? value['approval'] : undefined;
    const count = isRecord(value) ? value['count'] : undefined;
    if (typeof count !== 'number' || (approval !== undefined && !isApprovalView(approval))) {
      return readFailed(localFailure('unreadable', texts.unreadable, texts.unreadableHint).error);
    }
    const same = instanceOf(approval) === instanceOf(state.approval);
    change({ read: true, approval, count, current: true, owner: 'enough', ...(same ? {} : { answerable: false, proving: undefined }) });
    await attend();
    await goOn();
  }

  async function readChosen() {
    const paymentId = chosen();
    const reply = await link.request('approvals.current', paymentId === undefined ? {} : { paymentId });
    const isGone = paymentId !== undefined && reply.ok && isRecord(reply.value) && reply.value['approval'] === undefined;
    return isGone ? link.request('approvals.current', {}) : reply;
  }

  /** A pause cancels what waits, so it explains an empty page and decides nothing here. */
  async function readPause(): Promise<void> {
    const reply = await link.request('policy.get', {});
    const version: unknown = reply.ok ? reply.value : undefined;
    const policy = isRecord(version) ? version['policy'] : undefined;
    if (isRecord(policy) && (policy['paused'] === true) !== state.paused) change({ paused: policy['paused'] === true });
  }

  async function readFailed(error: ErrorInfo): Promise<void> {
    // What the page reads by itself it reads again once the connection is back, and the page says that it is down.
    if (isLinkLost(error)) return;
    if (!ownerMissing(error)) return change({ read: state.read || state.link.phase === 'open', error });
    change({ read: true, approval: undefined, count: 0, owner: 'unlock', error: undefined, answerable: false });
    await askWhetherSet();
  }

  async function askWhetherSet(): Promise<void> {
    const reply = await link.request('owner.status', {});
    if (!reply.ok) return change({ error: reply.error });
    if (!reply.value.passphraseSet) change({ owner: 'unset' });
  }

  async function attend(): Promise<void> {
    const attended = isAttended();
    const { approval } = state;
    const report = attended ? instanceOf(approval) : '';
    if (report === reported && attended === state.attended) return;
    // Of two open pages only the one that was looked at takes its word back, or it would take back the other's.
    const silent = !attended && reported === '';
    reported = report;
    const turn = ++attendTurn;
    clearTimeout(second);
    change({ attended, answerable: false });
    if (!approval || silent) return;
    const reply = await link.request('approvals.report', { paymentId: approval.paymentId, visible: attended });
    if (turn !== attendTurn) return;
    if (!reply.ok) {
      reported = '';
      return ownerMissing(reply.error) || isLinkLost(reply.error) ? readFailed(reply.error) : change({ error: reply.error });
    }
    if (!attended) return;
    // Main may know better (its window is hidden); then the page's next look asks again.
    if (reply.value.answerableAt === undefined) reported = '';
    else waitUntil(reply.value.answerableAt - now(), turn);
  }

  function waitUntil(left: number, turn: number): void {
    const wait = Math.min(SECOND, Math.max(0, left)) + MARGIN;
    second = setTimeout(() => {
      if (turn !== attendTurn) return;
      change({ answerable: true });
      void goOn();
    }, wait);
  }

  async function decide(decision: DecisionMade): Promise<void> {
    const { approval } = state;
    if (!approval || !canDecide(state, decision, now())) return;
    change({ deciding: decision, error: undefined, notice: '' });
    const { paymentId, termsDigest, nonce } = approval;
    const act = { paymentId, termsDigest, nonce, decision };
    const reply = await link.request('approvals.decide', act);
    if (reply.ok) {
      const words = decision === 'approve' ? texts.approved : texts.rejected;
      change({ deciding: undefined, approval: undefined, answerable: false, notice: words(formatMoney(approval.money), approval.order?.recipient ?? approval.upstream) });
      return refresh();
    }
    if (reply.error.code === 'PRESENCE_REQUIRED') return change({ deciding: undefined, proving: { route: 'approvals.decide', input: act } });
    change({ deciding: undefined, error: reply.error });
    if (ownerMissing(reply.error)) {
      change({ owner: 'unlock' });
      return askWhetherSet();
    }
    if (reply.error.code === 'APPROVAL_TOO_EARLY') {
      reported = '';
      return attend();
    }
    await refresh();
  }

  async function goOn(): Promise<void> {
    if (provenFor === '' || !canDecide(state, 'approve', now())) return;
    const same = provenFor === instanceOf(state.approval);
    provenFor = '';
    if (same) await decide('approve');
  }

  async function proven(): Promise<void> {
    if (!state.proving) return;
    provenFor = instanceOf(state.approval);
    change({ proving: undefined, error: undefined });
    await goOn();
  }

  async function unlock(passphrase: string): Promise<void> {
    if (state.unlocking) return;
    change({ unlocking: true, error: undefined });
    const reply = await link.request('owner.unlock', { passphrase });
    change({ unlocking: false, ...(reply.ok ? { owner: 'enough' as const } : { error: reply.error }) });
    if (reply.ok) await refresh();
  }

  link.onState(() => {
    const { phase } = link.state();
    if (phase !== 'open') {
      readTurn++;
      attendTurn++;
      reported = '';
      clearTimeout(second);
      change({ link: link.state(), current: false, answerable: false });
    } else change({ link: link.state() });
  });
  link.subscribe(({ topic }) => {
    if (topic === 'policy') void readPause();
    if (topic !== 'approvals' && topic !== 'owner') return;
    change({ current: false });
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void refresh();
    }, GATHER);
  });

  void readPause();
  return {
    state: () => state,
    refresh,
    attend,
    decide,
    unlock,
    link,
    proven,
    stopProving: () => change({ proving: undefined }),
    dismissError: () => change({ error: undefined }),
    tell: (notice) => change({ notice }),
  };
}
