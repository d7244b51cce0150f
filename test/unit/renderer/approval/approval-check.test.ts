import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isApprovalView } from '../../../../src/renderer/approval/approval-check.ts';
import { ApprovalView } from '../../../../src/shared/contract/approvals.ts';
import { isRuleProposal } from '../../../../src/renderer/approval/proposal-check.ts';
import { RuleProposal } from '../../../../src/shared/contract/standing-rules.ts';
import { anApproval } from '../support/approval.ts';
import { aProposal } from '../support/proposal.ts';

/** Every path to a value inside, e.g. `['money', 'asset', 'decimals']`. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsOf(inner, [...path, key])]);
}

function withValue(value: unknown, [key, ...rest]: string[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = withValue(copy[key], rest, replacement);
  return copy;
}

const [aFee] = anApproval().fees;
const ORDER = anApproval({ flow: 'prepay', fees: [{ ...aFee!, rentUnits: '2039280' }], order: { recipient: 'contact 3 (Ada)', memo: 'rent', byOwner: false, warnings: ['it looks odd'] } });

test('accepts what main sends', () => {
  expect(isApprovalView(anApproval())).toBe(true);
  expect(isApprovalView(anApproval({ budgets: [], flow: 'prepay', locked: true }))).toBe(true);
  expect(isApprovalView(ORDER)).toBe(true);
  expect(isApprovalView({ ...ORDER, order: { ...ORDER.order, byLink: true } })).toBe(true);
  expect(isApprovalView({ ...ORDER, order: { ...ORDER.order, byLink: 'yes' } })).toBe(false);
});

test('accepts nothing that the contract refuses, whatever single value is wrong', () => {
  const paths = pathsOf(ORDER);
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.oneof(fc.anything(), fc.constantFrom('', '01', '1.5', '-1', 'hour', 78, -1, 0.5)), (path, replacement) => {
      const broken = withValue(ORDER, path, replacement);
      if (isApprovalView(broken)) expect(ApprovalView.safeParse(broken).success).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a proposed rule that the contract refuses is shown, whatever single value is wrong', () => {
  for (const proposal of [aProposal('allow-tool'), aProposal('block-server')]) {
    expect(isRuleProposal(proposal)).toBe(true);
    expect(RuleProposal.safeParse(proposal).success).toBe(true);
  }
  // What is merely compared in main, such as the form of an address in a rule, the page shows as it comes.
  const paths = pathsOf(aProposal()).filter(([first, second]) => first !== 'rule' && !(first === 'cap' && second === 'cap'));
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.oneof(fc.anything(), fc.constantFrom('', '01', '1.5', '-1', 78, -1, 0.5)), (path, replacement) => {
      const broken = withValue(aProposal(), path, replacement);
      if (isRuleProposal(broken)) expect(RuleProposal.safeParse(broken).success).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('refuses budget figures that cannot be calculated with', () => {
  const [budget] = anApproval().budgets;
  expect(isApprovalView(anApproval({ budgets: [{ ...budget!, usedUnits: 'many' }] }))).toBe(false);
});
