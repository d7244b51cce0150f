import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { formatBudget, perMille } from '../format/money.ts';
import { approvalTexts as texts } from '../texts/approval.ts';
import { element, svg, untrusted } from './dom.ts';

type Budget = ApprovalView['budgets'][number];

/** Thousandths of a bar below which a share could not be seen. */
const SMALLEST_SHARE = 8;

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

/** Every limit that counts the payment, before and after it. What the bars draw stands in words beside them. */
export function budgetsElement(budgets: readonly Budget[]): HTMLElement {
  return element(
    'section',
    'card',
    element('h2', '', texts.budgets),
    budgets.length > 0 ? element('ul', 'budgets', ...budgets.map(budgetRow)) : element('p', 'quiet', texts.noBudgets),
  );
}
