import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { formatCountdown, formatMoment } from '../format/time.ts';
import { formatMoney } from '../format/money.ts';
import { approvalTexts as texts } from '../texts/approval.ts';
import { commonTexts, environmentTexts } from '../texts/common.ts';
import type { Environment } from '../../shared/contract/app.ts';
import type { StandingAct } from '../../shared/contract/standing-rules.ts';
import { canDecide, type Desk, type DeskState } from './desk.ts';
import { decisionButton, element, untrusted } from './dom.ts';
import { nextTimes } from './next-times.ts';
import { presenceStep } from './presence.ts';
import { termsElement } from './terms.ts';

/** Longest amount that the Approve button repeats. */
const BUTTON_AMOUNT = 22;

/** Failed tries after which the page says more than "trying again". */
const MANY_ATTEMPTS = 4;

export interface Page {
  show(state: DeskState): void;
  /** Shows the time that is left. */
  tick(now: number): void;
  showEnvironment(environment: Environment): void;
}

function passphraseForm(onSubmit: (passphrase: string) => void) {
  const field = element('input', 'field');
  field.type = 'password';
  field.autocomplete = 'current-password';
  field.maxLength = 1024;
  field.required = true;
  field.id = 'passphrase';
  const label = element('label', '', commonTexts.passphrase);
  label.htmlFor = field.id;
  const submit = element('button', 'button plain', commonTexts.unlock);
  submit.type = 'submit';
  const why = element('p', 'why');
  const form = element('form', 'note unlock', why, label, element('div', 'field-row', field, submit));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const passphrase = field.value;
    field.value = '';
    onSubmit(passphrase);
  });
  return { form, submit, why };
}

/** A failure in words. `unread`: the request itself could not be read, so that trying again is what helps. */
function errorNote(error: ErrorInfo, unread: boolean, desk: Desk): HTMLElement {
  const again = element('button', 'button plain', unread ? texts.tryAgain : texts.dismiss);
  again.type = 'button';
  again.addEventListener('click', () => {
    desk.dismissError();
    void desk.refresh();
  });
  return element('div', 'note danger', element('p', 'strong', untrusted(error.message)), element('p', '', untrusted(error.hint)), element('div', 'field-row', element('code', 'quiet', error.code), again));
}

function hintFor(state: DeskState, now: number): string {
  const { approval } = state;
  if (!approval || state.link.phase === 'lost') return '';
  if (now >= approval.expiresAt) return texts.expired;
  if (!state.current) return texts.hint.checking;
  if (!state.attended) return texts.hint.unattended;
  if (!state.answerable) return texts.hint.soon;
  return approval.locked ? texts.hint.locked : texts.hint.ready;
}

const showNote = (note: HTMLElement, words: string): void => {
  note.hidden = words === '';
  if (note.textContent !== words) note.textContent = words;
};

/** Builds the page inside `root` and returns the ways to change what it shows. Nothing in it takes the focus by itself. */
export function buildPage(root: HTMLElement, desk: Desk, onNextTimes: (kind: StandingAct['kind']) => void): Page {
  const live = element('p', 'unseen');
  live.setAttribute('role', 'status');
  const announce = (words: string): void => {
    live.textContent = words;
  };
  const title = element('h1', '', texts.title);
  const badge = element('span', 'badge');
  const queue = element('span', 'queue');
  const pauseNote = element('p', 'note warn');
  const linkNote = element('p', 'note warn');
  linkNote.setAttribute('role', 'status');
  const notice = element('p', 'note ok');
  const errors = element('div', 'errors');
  errors.setAttribute('role', 'alert');
  const unlock = passphraseForm((passphrase) => void desk.unlock(passphrase));
  const content = element('div', 'content');
  const countdown = element('span', 'countdown');
  const hint = element('p', 'quiet hint');
  const approve = decisionButton('approve', texts.approve, () => void desk.decide('approve'));
  const reject = decisionButton('reject', texts.reject, () => void desk.decide('reject'));
  const answer = element('div', 'answer-parts', element('div', 'split', hint, countdown), element('div', 'buttons', reject, approve));
  const presence = presenceStep({
    link: desk.link,
    id: 'presence',
    onProven: () => void desk.proven(),
    onBack() {
      desk.stopProving();
      approve.focus();
    },
  });
  const bar = element('footer', 'answer', errors, unlock.form, presence.element, answer);
  root.append(element('header', 'top', element('span', 'mark'), title, badge, queue), element('main', '', linkNote, pauseNote, notice, content), bar, live);

  let shown: ApprovalView | undefined;
  let shownText = '';
  let shownError: ErrorInfo | undefined;

  function showTerms(approval: ApprovalView | undefined, read: boolean): void {
    const text = approval ? JSON.stringify(approval) : String(read);
    if (text === shownText) return;
    const fresh = approval && `${approval.paymentId}${approval.nonce}` !== (shown && `${shown.paymentId}${shown.nonce}`);
    shownText = text;
    shown = approval;
    if (approval) content.replaceChildren(termsElement(approval, announce), ...nextTimes(approval, onNextTimes));
    else if (read) content.replaceChildren(element('div', 'empty', element('p', 'strong', texts.none), element('p', 'quiet', texts.noneNote)));
    else content.replaceChildren(element('div', 'empty', element('p', 'quiet', commonTexts.connecting)));
    if (!fresh) return;
    // A button that was focused for the last request must not answer this one.
    if (document.activeElement instanceof HTMLButtonElement) document.activeElement.blur();
    window.scrollTo(0, 0);
    announce(approval.order ? texts.announceSend(formatMoney(approval.money), approval.order.recipient) : texts.announce(formatMoney(approval.money), approval.upstream, approval.tool));
  }

  function showAnswer(state: DeskState, now: number): void {
    const { approval } = state;
    bar.hidden = !approval && state.owner === 'enough' && !state.error;
    answer.hidden = !approval || state.proving !== undefined;
    approve.disabled = !canDecide(state, 'approve', now);
    reject.disabled = !canDecide(state, 'reject', now);
    reject.textContent = state.deciding === 'reject' ? texts.rejecting : texts.reject;
    const written = approval ? formatMoney(approval.money) : '';
    approve.textContent = state.deciding === 'approve' ? texts.approving : written.length <= BUTTON_AMOUNT ? texts.approveAmount(written) : texts.approve;
    const words = hintFor(state, now);
    if (hint.textContent !== words) hint.textContent = words;
  }

  function showUnlock(state: DeskState): void {
    const needed = state.owner !== 'enough' || state.approval?.locked === true;
    unlock.form.hidden = !needed;
    unlock.form.classList.toggle('unset', state.owner === 'unset');
    unlock.why.textContent = state.owner === 'unset' ? texts.noPassphrase : state.owner === 'unlock' ? texts.ownerNeeded : texts.locked;
    unlock.submit.disabled = state.unlocking;
    unlock.submit.textContent = state.unlocking ? commonTexts.unlocking : commonTexts.unlock;
  }

  function tick(now: number): void {
    const { approval } = desk.state();
    if (!approval) return;
    countdown.textContent = now >= approval.expiresAt ? texts.expired : texts.expiresIn(formatCountdown(approval.expiresAt - now));
    countdown.title = formatMoment(approval.expiresAt);
    countdown.classList.toggle('soon', approval.expiresAt - now < 30_000);
  }

  return {
    tick(now) {
      tick(now);
      showAnswer(desk.state(), now);
    },
    show(state) {
      const now = Date.now();
      const { phase, attempts } = state.link;
      document.title = texts.windowTitle(state.count);
      title.textContent = state.approval ? texts.title : phase === 'open' && state.read && state.owner === 'enough' ? texts.titleNone : texts.titleUnread;
      showNote(pauseNote, state.paused ? texts.paused : '');
      showNote(queue, state.count > 1 ? texts.queue(state.count) : '');
      queue.title = texts.queueNote(state.count);
      showNote(linkNote, phase !== 'lost' ? '' : attempts < MANY_ATTEMPTS ? commonTexts.connectionLost : commonTexts.connectionLostLong);
      showNote(notice, state.notice && state.approval ? texts.before(state.notice) : state.notice);
      if (state.notice && !notice.hasAttribute('role')) notice.setAttribute('role', 'status');
      if (state.error !== shownError) errors.replaceChildren(...(state.error ? [errorNote(state.error, !state.current, desk)] : []));
      shownError = state.error;
      showTerms(state.approval, state.read && state.owner === 'enough' && phase === 'open');
      content.hidden = !state.approval && (state.owner !== 'enough' || phase === 'lost');
      content.classList.toggle('stale', state.approval !== undefined && phase !== 'open');
      showUnlock(state);
      presence.show(state.proving);
      tick(now);
      showAnswer(state, now);
    },
    showEnvironment(environment) {
      badge.textContent = environmentTexts[environment].label;
      badge.title = environmentTexts[environment].note;
      badge.classList.add(environment);
    },
  };
}
