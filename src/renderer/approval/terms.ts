import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { formatAmount, formatUsd } from '../format/money.ts';
import { approvalTexts as texts } from '../texts/approval.ts';
import { clientName } from '../texts/parties.ts';
import { dialectName, wayToPay } from '../texts/ways-to-pay.ts';
import { budgetsElement } from './budget-bar.ts';
import { addressElement, element, untrusted, type Announce } from './dom.ts';
import { payeeElement } from './payee.ts';


/** Longest amount that still stands in the largest, the middle size. */
const LARGE = 12;
const MIDDLE = 26;

function fact(label: string, ...values: (Node | string)[]): HTMLElement {
  return element('div', 'fact', element('dt', '', label), element('dd', '', ...values));
}

/** A fact that not every payment has; nothing where its text is empty. */
const factOf = (label: string, text: string, className = ''): HTMLElement | undefined => (text.trim() === '' ? undefined : fact(label, untrusted(text, className)));

/** False for dollars on a card, which are not worth "about" as many dollars, and for a test signature, which is worth none. */
function isWorthSaying({ network, symbol }: ApprovalView['money']['asset']): boolean {
  const way = wayToPay(network);
  return way === 'chain' || (way === 'card' && symbol !== 'USD');
}

/** Where the money moves: a chain by its name, a card, or nowhere. */
function place({ network, networkName }: ApprovalView['money']['asset']): HTMLElement {
  const way = wayToPay(network);
  if (way === 'chain') return untrusted(texts.on(networkName));
  return element('span', way === 'test' ? 'strong' : '', way === 'card' ? texts.byCard : texts.testSignature);
}

function amount(approval: ApprovalView): HTMLElement {
  const written = formatAmount(approval.money);
  const size = written.length <= LARGE ? 'large' : written.length <= MIDDLE ? 'middle' : 'small';
  const { asset } = approval.money;
  const usd = isWorthSaying(asset) ? approval.usdUnits : undefined;
  return element(
    'div',
    'sum',
    element('p', `amount ${size}`, element('bdi', 'figure', written), ' ', untrusted(approval.money.asset.symbol, 'symbol')),
    element(
      'p',
      'beside',
      usd === undefined ? undefined : element('span', 'usd', texts.approximately(formatUsd(usd))),
      usd === undefined ? undefined : ' ',
      place(asset),
    ),
    ...approval.fees.flatMap((fee) => {
      const { asset: coin, rentUnits } = fee;
      const rent = rentUnits === undefined ? [] : [texts.rent(`${formatAmount({ asset: coin, units: rentUnits })} ${coin.symbol}`)];
      return [texts.fee(`${formatAmount(fee)} ${coin.symbol}`, coin.networkName), ...rent].map((line) => element('p', 'fee', untrusted(line)));
    }),
  );
}

function originsElement(origins: ApprovalView['origins'], { own }: { readonly own: boolean }): HTMLElement | undefined {
  const shown = origins.filter((origin) => origin.own === own);
  if (shown.length === 0) return undefined;
  return element(
    'section',
    own ? 'note' : 'note warn',
    element('h2', '', own ? texts.originsOwn : texts.origins),
    element('p', '', own ? texts.originsOwnNote : texts.originsNote),
    element('dl', 'facts', ...shown.map(({ what, value, where }) => fact(texts.originWhat[what], untrusted(value, 'code'), element('br'), untrusted(texts.originWhere(where))))),
  );
}

/** Who asks without proof, what differs from the last payment, and what a server brought up; nothing where none is so. */
function warnings({ cautions, changes, origins, order }: ApprovalView): (HTMLElement | undefined)[] {
  return [
    ...(order?.warnings ?? []).map((warning) => element('p', 'note warn', untrusted(sentence(warning)))),
    ...cautions.map((caution) => element('p', 'note warn', texts.cautions[caution])),
    changes.length === 0
      ? undefined
      : element(
          'section',
          'note warn',
          element('h2', '', texts.changed),
          element('dl', 'facts', ...changes.map(({ what, before, now }) => fact(texts.changedWhat[what], untrusted(before), texts.changedTo, untrusted(now, 'strong')))),
        ),
    originsElement(origins, { own: false }),
    originsElement(origins, { own: true }),
  ];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

function memo({ memo: text, byLink }: NonNullable<ApprovalView['order']>): HTMLElement {
  return element(
    'section',
    'card',
    element('h2', '', texts.sendMemo),
    text.trim() === '' ? element('p', 'quiet', texts.noMemo) : element('blockquote', 'words scroll', untrusted(text)),
    text.trim() === '' ? undefined : element('p', 'quiet', byLink ? texts.memoNoteByLink : texts.memoNote),
  );
}

function words(approval: ApprovalView): HTMLElement {
  if (approval.order) return memo(approval.order);
  const said = approval.description.trim();
  return element(
    'section',
    'card',
    element('h2', '', texts.words),
    said ? element('blockquote', 'words scroll', untrusted(said)) : element('p', 'quiet', texts.noWords),
  );
}

function folded(summary: string, ...content: Node[]): HTMLElement {
  return element('details', 'card fold', element('summary', '', summary), ...content);
}

function callArguments(approval: ApprovalView): HTMLElement {
  const code = element('pre', 'scroll', untrusted(approval.argumentsText));
  code.tabIndex = 0;
  code.setAttribute('role', 'region');
  code.setAttribute('aria-label', texts.arguments);
  return folded(texts.arguments, code);
}

function whoAsks({ upstream, tool, client, order }: ApprovalView): HTMLElement {
  if (!order) return element('p', 'asks', untrusted(upstream, 'strong'), texts.asks, untrusted(tool, 'code'));
  return order.byOwner ? element('p', 'asks', texts.youSend) : element('p', 'asks', untrusted(clientName(client), 'strong'), texts.wantsToSend);
}

/** Everything that is paid, to whom and why, for one approval. Built anew for every change of it. */
export function termsElement(approval: ApprovalView, announce: Announce): HTMLElement {
  const { money } = approval;
  const { order } = approval;
  const flow = order ? (order.byLink ? texts.sendsNoteByLink : texts.sendsNote) : approval.upfront ? texts.flow.prepay : texts.flow[approval.flow];
  return element(
    'article',
    'terms',
    whoAsks(approval),
    amount(approval),
    payeeElement(approval, announce),
    flow ? element('p', 'note warn', flow) : undefined,
    ...warnings(approval),
    element(
      'section',
      'card',
      element(
        'dl',
        'facts',
        order ? undefined : fact(texts.server, untrusted(approval.upstream, 'strong'), element('br'), untrusted(approval.upstreamAddress, 'code quiet')),
        fact(texts.tool, untrusted(approval.tool, 'code')),
        fact(texts.client, untrusted(clientName(approval.client))),
        fact(texts.from, untrusted(approval.payerLabel)),
        factOf(texts.memo, approval.memo),
        factOf(texts.rule, approval.rule),
      ),
    ),
    words(approval),
    callArguments(approval),
    budgetsElement(approval.budgets),
    folded(
      texts.details,
      element(
        'dl',
        'facts',
        factOf(texts.resource, approval.resource, 'code'),
        fact(texts.from, addressElement(approval.payer)),
        ...(wayToPay(money.asset.network) === 'chain'
          ? [
              fact(texts.token, untrusted(money.asset.symbol), element('br'), addressElement(money.asset.address)),
              fact(texts.network, untrusted(money.asset.networkName), element('br'), untrusted(money.asset.network, 'code quiet')),
            ]
          : [fact(texts.paidBy, untrusted(money.asset.networkName))]),
        approval.feePayer === '' ? undefined : fact(texts.feePayer, addressElement(approval.feePayer)),
        fact(texts.dialect, untrusted(dialectName(approval.dialect))),
      ),
    ),
  );
}
