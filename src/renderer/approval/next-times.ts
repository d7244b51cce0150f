import type { ApprovalView } from '../../shared/contract/approvals.ts';
import type { StandingAct } from '../../shared/contract/standing-rules.ts';
import { standingTexts as texts } from '../texts/standing-rules.ts';
import { element, plainButton, untrusted } from './dom.ts';

/** What may be said for the next times beside this request; nothing for what Bursar itself sends. */
export function nextTimes({ order, notForDays }: ApprovalView, begin: (kind: StandingAct['kind']) => void): readonly HTMLElement[] {
  if (order) return [];
  const allow = notForDays === '' ? plainButton('plain', texts.allow, () => begin('allow-tool')) : element('p', 'quiet', untrusted(notForDays));
  return [element('section', 'card next-times', element('h2', '', texts.title), element('div', 'choices', allow, plainButton('plain', texts.block, () => begin('block-server'))))];
}
