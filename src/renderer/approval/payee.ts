import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { identicon } from '../format/identicon.ts';
import { approvalTexts as texts } from '../texts/approval.ts';
import { addressElement, copyButton, element, svg, untrusted, type Announce } from './dom.ts';

/** The picture of an address. Drawn with attributes: the page's CSP allows no inline style. */
function picture(address: string): SVGElement {
  const { colours: [background, ...others], paths } = identicon(address);
  return svg(
    'svg',
    { class: 'identicon', viewBox: '0 0 8 8', 'shape-rendering': 'crispEdges', 'aria-hidden': 'true' },
    svg('rect', { width: '8', height: '8', fill: background }),
    ...paths.map((path, index) => svg('path', { d: path, fill: others[index] ?? '' })),
  );
}

/** Who the owner knows there, or that they never paid there. */
function acquaintance({ contact, firstPayment, order }: ApprovalView): HTMLElement | undefined {
  const name = contact && !order ? element('span', 'badge known', texts.contact, untrusted(contact.name)) : undefined;
  const first = firstPayment ? element('span', 'badge first', texts.firstPayment) : undefined;
  return name || first ? element('p', 'badges', name, first) : undefined;
}

/** The payee in full, with its picture and what the owner has to do with it. */
export function payeeElement(approval: ApprovalView, announce: Announce): HTMLElement {
  const { order, payee } = approval;
  const heading = element('div', 'card-head', element('h2', '', order ? texts.sendTo : texts.payTo), copyButton(payee, texts.payee, announce));
  const recipient = order && order.recipient !== payee ? element('p', '', untrusted(order.recipient, 'strong')) : undefined;
  return element('section', 'card payee', heading, recipient, acquaintance(approval), element('div', 'pictured', picture(payee), addressElement(payee)));
}
