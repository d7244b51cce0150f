import type { ApprovalView } from '../../shared/contract/approvals.ts';
import type { RuleProposal } from '../../shared/contract/standing-rules.ts';
import { formatMoney, formatUsd } from '../format/money.ts';
import { standingTexts as texts } from '../texts/standing-rules.ts';
import type { Desk } from './desk.ts';
import { addressElement, decisionButton, element, plainButton, untrusted } from './dom.ts';
import { presenceStep } from './presence.ts';
import { canSave, type Standing, type StandingState } from './standing.ts';

/** Longest amount that the button repeats. */
const BUTTON_AMOUNT = 18;

type Cap = NonNullable<RuleProposal['cap']>;

const fact = (label: string, ...values: (Node | string | undefined)[]): HTMLElement => element('div', 'fact', element('dt', '', label), element('dd', '', ...values));

/** Members of a rule that the facts name. What else is in it came from the rule that asks now. */
const NAMED = new Set(['upstream', 'tool', 'client', 'payee', 'asset', 'amount']);

function ruleFacts({ rule: { when }, ruleText }: RuleProposal, { asset }: Cap): HTMLElement {
  const { atLeast, atMost, unit } = when.amount ?? { unit: 'USD' };
  const others = atLeast !== undefined || Object.entries(when).some(([name, value]) => value !== undefined && !NAMED.has(name));
  return element(
    'dl',
    'facts',
    fact(texts.server, untrusted(when.upstream ?? '', 'strong')),
    fact(texts.tool, untrusted(when.tool ?? '', 'code')),
    fact(texts.client, untrusted(when.client ?? '')),
    fact(texts.payee, addressElement(when.payee ?? '')),
    fact(texts.token, untrusted(`${asset.symbol}, ${asset.networkName}`), element('br'), addressElement(asset.address)),
    atMost === undefined ? undefined : fact(texts.price, untrusted(texts.priceWords(`${atMost} ${unit === 'USD' ? unit : asset.symbol}`))),
    others ? fact(texts.conditions, texts.conditionsWords, ' ', untrusted(ruleText, 'code')) : undefined,
  );
}

function limitFacts({ asset, limitUnits, usedUnits, limitUsdUnits, replacesUnits }: Cap): HTMLElement {
  const write = (units: string): string => formatMoney({ asset, units });
  return element(
    'dl',
    'facts limit',
    fact(texts.limit, untrusted(texts.limitWords(write(limitUnits)), 'strong'), limitUsdUnits === undefined ? undefined : element('span', 'quiet', ` ${texts.approximately(formatUsd(limitUsdUnits))}`)),
    fact(texts.used, untrusted(texts.usedWords(write(usedUnits)))),
    replacesUnits === undefined ? undefined : fact(texts.replaces, untrusted(texts.replacesWords(write(replacesUnits)))),
  );
}

const notes = (sentences: readonly string[]): HTMLElement => element('ul', 'notes', ...sentences.map((sentence) => element('li', '', sentence)));

function exactly({ rule, cap }: RuleProposal): HTMLElement {
  const code = element('pre', 'scroll', untrusted(JSON.stringify({ rule, ...(cap && { cap: cap.cap }) }, null, 2)));
  code.tabIndex = 0;
  code.setAttribute('role', 'region');
  code.setAttribute('aria-label', texts.exact);
  return element('details', 'fold', element('summary', '', texts.exact), code);
}

/** What would be saved, in full. */
export function proposalElement(proposal: RuleProposal, approval: ApprovalView): HTMLElement {
  const { cap } = proposal;
  if (!cap) {
    const [before, after] = texts.blockLead;
    return element('div', 'proposal', element('p', '', before, untrusted(approval.upstream, 'strong'), after), notes(texts.blockNotes(proposal.ends)), exactly(proposal));
  }
  return element(
    'div',
    'proposal',
    element('p', '', texts.allowLead),
    ruleFacts(proposal, cap),
    limitFacts(cap),
    notes([...texts.notes, texts.place(proposal)]),
    element('p', 'note', texts.approvesToo(formatMoney(approval.money))),
    exactly(proposal),
  );
}

export interface StandingDialog {
  show(state: StandingState): void;
}

/** The dialog over the request. Escape and Cancel save nothing; Enter goes no further than to the proposal. */
export function buildStandingDialog(root: HTMLElement, standing: Standing, desk: Desk): StandingDialog {
  const title = element('h2', 'dialog-title');
  title.id = 'standing-title';
  title.tabIndex = -1;
  const lead = element('p');
  const field = element('input', 'field');
  field.id = 'per-day';
  field.inputMode = 'decimal';
  field.autocomplete = 'off';
  field.maxLength = 40;
  const label = element('label');
  label.htmlFor = field.id;
  const proceed = element('button', 'button', texts.continue);
  proceed.type = 'submit';
  const form = element('form', 'amount-form', lead, label, element('div', 'field-row', field, proceed));
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void standing.propose(field.value.trim().replace(/^\./, '0.'));
  });
  const errors = element('div', 'errors');
  errors.setAttribute('role', 'alert');
  const shown = element('div');
  const hint = element('p', 'quiet hint');
  hint.setAttribute('role', 'status');
  const leave = plainButton('', texts.close, () => (standing.state().proposal && standing.state().kind === 'allow-tool' ? standing.back() : standing.close()));
  const save = decisionButton('approve', texts.saveShort, () => void standing.save());
  const buttons = element('div', 'buttons', leave, save);
  const presence = presenceStep({
    link: desk.link,
    id: 'standing-presence',
    onProven: () => void standing.proven(),
    onBack() {
      standing.stopProving();
      save.focus();
    },
  });
  const dialog = element('dialog', 'standing', title, form, shown, errors, presence.element, hint, buttons);
  dialog.setAttribute('aria-labelledby', title.id);
  dialog.addEventListener('close', () => standing.close());
  root.append(dialog);

  let shownProposal: RuleProposal | undefined;
  let shownError: StandingState['error'];
  let begun: StandingState['approval'];

  function saveWords({ kind, busy, approval }: StandingState): string {
    if (busy === 'save') return texts.saving;
    if (kind === 'block-server') return texts.blockSave;
    const written = approval ? formatMoney(approval.money) : '';
    return written.length <= BUTTON_AMOUNT ? texts.save(written) : texts.saveShort;
  }

  function hintWords(state: StandingState): string {
    const { attended, approval } = desk.state();
    if (state.busy === 'propose') return texts.checking;
    if (!state.proposal || state.proving) return '';
    if (state.kind === 'allow-tool' && approval?.locked) return texts.locked;
    if (!attended) return texts.unattended;
    return state.answerable ? '' : texts.soon;
  }

  return {
    show(state) {
      const { kind, approval, proposal } = state;
      if (kind === undefined || !approval) {
        presence.show(undefined);
        begun = undefined;
        if (dialog.open) dialog.close();
        return;
      }
      const isAmount = kind === 'allow-tool' && !proposal;
      title.textContent = kind === 'block-server' ? texts.blockTitle : isAmount ? texts.amountTitle : texts.allowTitle;
      form.hidden = !isAmount;
      if (begun !== approval) {
        field.value = '';
        const [of, rest] = texts.amountLead;
        lead.replaceChildren(untrusted(approval.tool, 'code'), of, untrusted(approval.upstream, 'strong'), rest);
        label.textContent = texts.amount(approval.money.asset.symbol);
      }
      if (shownProposal !== proposal) shown.replaceChildren(...(proposal ? [proposalElement(proposal, approval)] : []));
      if (shownError !== state.error) errors.replaceChildren(...(state.error ? [element('div', 'note danger', element('p', 'strong', untrusted(state.error.message)), element('p', '', untrusted(state.error.hint)))] : []));
      leave.textContent = proposal && kind === 'allow-tool' ? texts.back : texts.close;
      leave.disabled = state.busy === 'save';
      proceed.disabled = state.busy !== undefined;
      save.hidden = !proposal;
      buttons.hidden = state.proving !== undefined;
      save.className = `button ${kind === 'block-server' ? 'danger' : 'approve'}`;
      const words = saveWords(state);
      if (save.textContent !== words) save.textContent = words;
      save.disabled = !canSave(state, desk.state(), Date.now());
      const said = hintWords(state);
      if (hint.textContent !== said) hint.textContent = said;
      if (!dialog.open) dialog.showModal();
      // What a reader hears first is the amount to type, or what would be saved.
      if (proposal && shownProposal !== proposal) {
        title.focus();
        dialog.scrollTop = 0;
      } else if (isAmount && (begun !== approval || shownProposal)) field.focus();
      if (begun !== approval && kind === 'block-server') title.focus();
      presence.show(state.proving);
      begun = approval;
      shownProposal = proposal;
      shownError = state.error;
    },
  };
}
