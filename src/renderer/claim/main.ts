import { addressElement, element, untrusted } from '../approval/dom.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import { readClaimLink, type ClaimLink } from '../../shared/escrow/claim-link.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { claimTexts as texts } from '../texts/claim.ts';
import { checkRecipient, claim, lookAt, whyGone, type PageConfig } from './claim.ts';

const status = element('p', 'status');
status.setAttribute('role', 'status');
status.setAttribute('aria-live', 'polite');

function say(kind: 'plain' | 'bad' | 'good', words: string): void {
  status.className = `status ${kind}`;
  status.textContent = words;
}

const sayError = (error: unknown): void => {
  const { message, hint, code } = toErrorInfo(error);
  say('bad', code === 'INTERNAL' ? message : `${message} ${hint}`);
};

/** What the export wrote into the page. */
function readConfig(): PageConfig | undefined {
  const text = document.querySelector<HTMLMetaElement>('meta[name="bursar-config"]')?.content ?? '';
  return text === '' ? undefined : (JSON.parse(text) as PageConfig);
}

const row = (label: string, value: Node | string): readonly HTMLElement[] => [element('dt', '', label), element('dd', '', value)];

function show(link: ClaimLink, config: PageConfig): void {
  const { units, token, networkName, memo, expiresAt } = link;
  const amount = `${formatUnits(BigInt(units), token.decimals, 2)} ${cleanText(token.symbol, 20)}`;
  const until = new Date(expiresAt).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });
  const facts = element('dl', 'facts', ...row(texts.network, untrusted(cleanText(networkName, 60))), ...row(texts.expires, until), ...(memo === '' ? [] : row(texts.memo, untrusted(cleanText(memo)))));
  const input = element('input', 'address-input');
  Object.assign(input, { id: 'address', type: 'text', autocomplete: 'off', spellcheck: false, required: true, placeholder: link.network.startsWith('eip155:') ? '0x…' : '' });
  const label = element('label', '', `${texts.address} ${cleanText(networkName, 60)}`);
  label.htmlFor = 'address';
  const button = element('button', 'claim', texts.claim);
  button.type = 'submit';
  button.disabled = true;
  const form = element('form', '', label, input, element('p', 'hint', texts.addressHint), button);
  const done = element('div', 'done');
  document.body.replaceChildren(element('main', '', element('h1', '', texts.title), element('p', 'amount', `${texts.sent} `, element('strong', '', amount)), facts, form, status, done, element('p', 'hint', texts.warning)));

  const refuse = (error: unknown): void => {
    sayError(error);
    form.hidden = true;
  };

  async function take(): Promise<void> {
    let to = '';
    try {
      to = checkRecipient(link, input.value);
      input.value = to;
      input.disabled = true;
      button.disabled = true;
      say('plain', texts.claiming);
      const transaction = await claim(link, to, config);
      form.hidden = true;
      say('good', texts.done(amount));
      done.replaceChildren(element('dl', 'facts', ...row(texts.goesTo, addressElement(to)), ...row(texts.transaction, addressElement(transaction))));
    } catch (error) {
      sayError(error);
      const isOver = ['CLAIM_GONE', 'CLAIM_EXPIRED'].includes(toErrorInfo(error).code);
      form.hidden = isOver;
      input.disabled = false;
      button.disabled = false;
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void take();
  });

  async function look(): Promise<void> {
    say('plain', texts.looking);
    const gone = whyGone(await lookAt(link, config));
    if (gone) return refuse(gone);
    if (Date.now() >= expiresAt) {
      form.hidden = true;
      return say('bad', texts.expired(until));
    }
    say('plain', '');
    button.disabled = false;
  }

  void look();
}

/** Reads the link anew, also when another one is opened in the same page. */
function begin(): void {
  document.title = texts.title;
  try {
    const link = readClaimLink(location.hash.slice(1));
    const config = readConfig();
    if (config) return show(link, config);
    say('bad', texts.unset);
  } catch (error) {
    sayError(error);
  }
  document.body.replaceChildren(element('main', '', element('h1', '', texts.title), status));
}

window.addEventListener('hashchange', begin);
begin();
