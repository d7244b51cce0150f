import type { PresenceChallenge, PresenceMethod } from '../../shared/contract/presence.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { Link } from '../client/link.ts';
import { prove, stopCeremony, type UnprovenAct } from '../client/prove.ts';
import { presenceTexts as texts } from '../texts/presence.ts';
import { element, untrusted } from './dom.ts';

export interface PresenceStepOptions {
  readonly link: Link;
  /** Begins the ids of its elements, of which a page may have two. */
  readonly id: string;
  /** Main has the proof: the act may be asked for again. */
  readonly onProven: () => void;
  /** The owner went back to the request; nothing was decided. */
  readonly onBack: () => void;
}

/** The step between Approve and the payment: proof that the owner is there, for exactly this request. */
export interface PresenceStep {
  readonly element: HTMLElement;
  /** Asks for it where `act` is another one than before; undefined takes the step away and ends what the browser asks. */
  show(act: UnprovenAct | undefined): void;
}

/** Errors after which the same challenge is answered again. */
const AGAIN = ['PASSPHRASE_WRONG', 'PASSPHRASE_BUSY'];

export function presenceStep({ link, id, onProven, onBack }: PresenceStepOptions): PresenceStep {
  let act: UnprovenAct | undefined;
  let asked: PresenceChallenge | undefined;
  let best: PresenceMethod = 'passphrase';
  /** What runs belongs to this turn; an answer to an earlier one is dropped. */
  let turn = 0;

  const heading = element('h2', '', texts.title);
  heading.id = `${id}-title`;
  heading.tabIndex = -1;
  const words = element('p', '');
  words.setAttribute('role', 'status');
  const problem = element('div', 'problem');
  problem.setAttribute('role', 'alert');
  const field = element('input', 'field');
  field.type = 'password';
  field.id = `${id}-passphrase`;
  // What a browser fills in by itself proves nobody.
  field.autocomplete = 'off';
  field.maxLength = 1024;
  field.required = true;
  const label = element('label', '', texts.passphrase);
  label.htmlFor = field.id;
  const confirm = element('button', 'button plain approve', texts.confirm);
  confirm.type = 'submit';
  const form = element('form', '', label, element('div', 'field-row', field, confirm));
  const back = plainButton(texts.back, () => onBack());
  const use = plainButton('', () => void tryWith(best));
  use.classList.add('approve');
  const instead = plainButton(texts.usePassphrase, () => showPassphrase());
  const lost = element('p', 'quiet');
  const box = element('section', 'note presence', heading, words, problem, form, lost, element('div', 'field-row', back, use, instead));
  box.setAttribute('aria-labelledby', heading.id);
  box.hidden = true;

  const say = (text: string): void => {
    words.textContent = text;
  };
  const refuse = (error: ErrorInfo | undefined, text = ''): void =>
    problem.replaceChildren(...(error ? [element('p', 'strong', untrusted(error.message)), element('p', '', untrusted(error.hint))] : text === '' ? [] : [element('p', '', text)]));
  const setBusy = (busy: boolean): void => {
    confirm.disabled = busy;
    use.disabled = busy;
    instead.disabled = busy;
    confirm.textContent = busy ? texts.checking : texts.confirm;
  };

  function showPassphrase(): void {
    form.hidden = false;
    use.hidden = true;
    instead.hidden = true;
    say(texts.why.passphrase);
    field.focus();
  }

  /** The command names the data folder and the program, which main alone knows. */
  async function sayHowElse(): Promise<void> {
    const status = await link.request('app.status', {});
    if (status.ok) lost.textContent = texts.lostPasskey(status.value.commandLine);
  }

  function showMethods(methods: readonly PresenceMethod[]): void {
    best = methods[0] ?? 'passphrase';
    lost.hidden = methods.includes('passphrase');
    if (!lost.hidden) void sayHowElse();
    if (best === 'passphrase') return showPassphrase();
    use.hidden = false;
    use.textContent = texts.use[best];
    instead.hidden = !methods.includes('passphrase');
    say(texts.why[best]);
  }

  /** Every try of a passkey or a finger has a challenge of its own. */
  async function begin(): Promise<PresenceChallenge | undefined> {
    if (!act) return undefined;
    const mine = turn;
    const reply = await link.request('presence.begin', act);
    if (mine !== turn) return undefined;
    if (reply.ok) asked = reply.value;
    else refuse(reply.error);
    return reply.ok ? reply.value : undefined;
  }

  async function tryWith(method: PresenceMethod, passphrase?: string): Promise<void> {
    const mine = turn;
    setBusy(true);
    refuse(undefined);
    if (method !== 'passphrase') say(texts.waiting[method]);
    const challenge = asked ?? (await begin());
    const tried = challenge && (await prove(link, challenge, method, passphrase));
    if (mine !== turn) return;
    setBusy(false);
    if (tried?.kind === 'proven') return onProven();
    if (tried?.kind === 'stopped') refuse(undefined, texts.stopped);
    if (tried?.kind === 'refused') refuse(tried.error);
    if (tried?.kind !== 'refused' || !AGAIN.includes(tried.error.code)) asked = undefined;
    say(texts.why[method]);
    if (method === 'passphrase') field.focus();
    else use.focus();
  }

  async function start(): Promise<void> {
    const mine = turn;
    setBusy(true);
    refuse(undefined);
    form.hidden = use.hidden = instead.hidden = lost.hidden = true;
    say(texts.preparing);
    heading.focus();
    const challenge = await begin();
    if (mine !== turn) return;
    setBusy(false);
    if (!challenge) return say('');
    showMethods(challenge.methods);
    if (best !== 'passphrase') await tryWith(best);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const passphrase = field.value;
    field.value = '';
    if (passphrase !== '' && !confirm.disabled) void tryWith('passphrase', passphrase);
  });

  return {
    element: box,
    show(next) {
      if (next === act) return;
      turn += 1;
      if (act) stopCeremony();
      act = next;
      asked = undefined;
      field.value = '';
      box.hidden = !act;
      if (act) void start();
    },
  };
}

function plainButton(label: string, press: () => void): HTMLButtonElement {
  const button = element('button', 'button plain', label);
  button.type = 'button';
  button.addEventListener('click', press);
  return button;
}
