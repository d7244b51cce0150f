import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { formatAmount, formatBudget, formatUsd, perMille } from '../format/money.ts';
import { approvalTexts as texts } from '../texts/approval.ts';
import { addressElement, copyButton, element, svg, untrusted } from './dom.ts';

type Announce = (words: string) => void;
type Budget = ApprovalView['budgets'][number];

/** Longest amount that still stands in the largest, the middle size. */
const LARGE = 12;
const MIDDLE = 26;

/** Thousandths of a bar below which a share could not be seen. */
const SMALLEST_SHARE = 8;

function fact(label: string, ...values: (Node | string)[]): HTMLElement {
  return element('div', 'fact', element('dt', '', label), element('dd', '', ...values));
}

function amount(approval: ApprovalView): HTMLElement {
  const written = formatAmount(approval.money);
  const size = written.length <= LARGE ? 'large' : written.length <= MIDDLE ? 'middle' : 'small';
  const usd = approval.usdUnits;
  return element(
    'div',
    'sum',
    element('p', `amount ${size}`, element('bdi', 'figure', written), ' ', untrusted(approval.money.asset.symbol, 'symbol')),
    element(
      'p',
      'beside',
      usd === undefined ? undefined : element('span', 'usd', texts.approximately(formatUsd(usd))),
      usd === undefined ? undefined : ' ',
      untrusted(texts.on(approval.money.asset.networkName)),
    ),
    ...approval.fees.map((fee) => element('p', 'fee', untrusted(texts.fee(`${formatAmount(fee)} ${fee.asset.symbol}`, fee.asset.networkName)))),
  );
}

function payee(approval: ApprovalView, announce: Announce): HTMLElement {
  const heading = element('div', 'card-head', element('h2', '', texts.payTo), copyButton(approval.payee, texts.payee, announce));
  return element('section', 'card payee', heading, addressElement(approval.payee));
}

/** What differs from the last payment, and what a server brought up; nothing where neither is so. */
function warnings({ changes, origins }: ApprovalView): (HTMLElement | undefined)[] {
  return [
    changes.length === 0
      ? undefined
      : element(
          'section',
          'note warn',
          element('h2', '', texts.changed),
          element('dl', 'facts', ...changes.map(({ what, before, now }) => fact(texts.changedWhat[what], untrusted(before), texts.changedTo, untrusted(now, 'strong')))),
        ),
    origins.length === 0
      ? undefined
      : element(
          'section',
          'note warn',
          element('h2', '', texts.origins),
          element('dl', 'facts', ...origins.map(({ what, value, where }) => fact(texts.originWhat[what], untrusted(value, 'code'), element('br'), untrusted(texts.originWhere(where))))),
        ),
  ];
}

function words(approval: ApprovalView): HTMLElement {
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

function bar(budget: Budget): SVGElement {
  const [used, now, limit] = [BigInt(budget.usedUnits), BigInt(budget.thisUnits), BigInt(budget.limitUnits)];
  const share = now > 0n ? Math.max(SMALLEST_SHARE, perMille(now, limit)) : 0;
  const start = Math.min(perMille(used, limit), 1000 - share);
  return svg(
    'svg',
    { class: 'bar', viewBox: '0 0 1000 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'used', width: String(start), height: '8' }),
    svg('rect', { class: used + now > limit ? 'now over' : 'now', x: String(start), width: String(share), height: '8' }),
  );
}

function budgetRow(budget: Budget): HTMLElement {
  const [used, now, limit] = [BigInt(budget.usedUnits), BigInt(budget.thisUnits), BigInt(budget.limitUnits)];
  const left = limit - used - now;
  return element(
    'li',
    'budget',
    element('div', 'split', untrusted(budget.label, 'label'), element('span', left < 0n ? 'over' : 'quiet', left < 0n ? texts.overLimit : texts.left(formatBudget(budget, left)))),
    bar(budget),
    element('p', 'quiet', texts.budget(formatBudget(budget, used), formatBudget(budget, now), formatBudget(budget, limit))),
  );
}

function budgets(approval: ApprovalView): HTMLElement {
  return element(
    'section',
    'card',
    element('h2', '', texts.budgets),
    approval.budgets.length > 0 ? element('ul', 'budgets', ...approval.budgets.map(budgetRow)) : element('p', 'quiet', texts.noBudgets),
  );
}

/** Everything that is paid, to whom and why, for one approval. Built anew for every change of it. */
export function termsElement(approval: ApprovalView, announce: Announce): HTMLElement {
  const { money } = approval;
  const flow = texts.flow[approval.flow];
  return element(
    'article',
    'terms',
    element('p', 'asks', untrusted(approval.upstream, 'strong'), texts.asks, untrusted(approval.tool, 'code')),
    amount(approval),
    payee(approval, announce),
    flow ? element('p', 'note warn', flow) : undefined,
    ...warnings(approval),
    element(
      'section',
      'card',
      element(
        'dl',
        'facts',
        fact(texts.server, untrusted(approval.upstream, 'strong'), element('br'), untrusted(approval.upstreamAddress, 'code quiet')),
        fact(texts.tool, untrusted(approval.tool, 'code')),
        fact(texts.client, untrusted(approval.client)),
        fact(texts.from, untrusted(approval.payerLabel)),
        fact(texts.rule, untrusted(approval.rule)),
      ),
    ),
    words(approval),
    callArguments(approval),
    budgets(approval),
    folded(
      texts.details,
      element(
        'dl',
        'facts',
        fact(texts.resource, untrusted(approval.resource, 'code')),
        fact(texts.from, addressElement(approval.payer)),
        fact(texts.token, untrusted(money.asset.symbol), element('br'), addressElement(money.asset.address), element('br'), untrusted(money.asset.network, 'code quiet')),
        fact(texts.dialect, untrusted(approval.dialect)),
      ),
    ),
  );
}
