import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDraft, draftOf } from '../../../../src/renderer/dashboard/policy/budget-draft.ts';
import { mergePolicies } from '../../../../src/renderer/dashboard/policy/merge-policies.ts';
import { draftOfPolicy, moved, placeOfServerRule, policyOfDraft, problemAt, replaced, RULE_MEMBERS, SCOPE_MEMBERS, withEntry, withMember, without } from '../../../../src/renderer/dashboard/policy/policy-draft.ts';
import { limitSentence, memberTexts, ruleSentence } from '../../../../src/renderer/texts/policy.ts';
import { defaultPolicy, Policy, RuleMatch, Scope, type Cap, type Rule } from '../../../../src/shared/policy/policy.ts';
import { anyPolicy, anyRule } from '../../../support/any-policy.ts';

const bare = (asset: string) => asset;
const exactly = (policy: Policy) => JSON.stringify(policy);

test('the policies of these tests are none', () => {
  fc.assert(
    fc.property(anyPolicy, (policy) => {
      expect(Policy.parse(policy)).toEqual(policy);
    }),
    { numRuns: 30 },
  );
});

describe('a policy that is only looked at', () => {
  test('is another one after it is saved: a member, an order or a text is lost', () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        expect(exactly(policyOfDraft(draftOfPolicy(policy)))).toBe(exactly(policy));
      }),
      { numRuns: 200 },
    );
  });

  test('is another one after the everyday fields were shown and saved unchanged', () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        expect(exactly(applyDraft(policy, draftOf(policy, ['weather'])))).toBe(exactly(policy));
      }),
      { numRuns: 200 },
    );
  });

  test('says something that no field shows', () => {
    expect([...SCOPE_MEMBERS].toSorted()).toEqual(Object.keys(Scope.shape).toSorted());
    expect([...RULE_MEMBERS].toSorted()).toEqual(Object.keys(RuleMatch.shape).toSorted());
    expect(Object.keys(memberTexts).toSorted()).toEqual(Object.keys(RuleMatch.shape).toSorted());
  });

  test('has a rule whose sentence leaves out what it looks at, so that two different rules read alike', () => {
    fc.assert(
      fc.property(anyRule, fc.constantFrom(...RULE_MEMBERS), (rule, member) => {
        if (rule.when[member] === undefined) return;
        expect(ruleSentence(rule, bare)).not.toBe(ruleSentence({ ...rule, when: withMember(rule.when, member, undefined) }, bare));
      }),
      { numRuns: 300 },
    );
  });
});

describe('an edit', () => {
  const rule = (upstream: string): Rule => ({ when: { upstream }, verdict: 'allow' });

  test('of the order changes, loses or doubles a rule', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { minLength: 1, maxLength: 6 }), fc.nat(), fc.constantFrom(-1 as const, 1 as const), (rules, at, by) => {
        const list = draftOfPolicy({ ...defaultPolicy('UTC'), rules }).rules;
        const from = at % list.length;
        const next = moved(list, list[from]!.key, by);
        expect(next.map(({ key }) => key).toSorted((a, b) => a - b)).toEqual(list.map(({ key }) => key));
        const to = Math.min(Math.max(from + by, 0), list.length - 1);
        expect(next[to]).toBe(list[from]);
        expect(moved(next, list[from]!.key, by === 1 ? -1 : 1).map(({ key }) => key)).toEqual(to === from ? moved(list, list[from]!.key, by === 1 ? -1 : 1).map(({ key }) => key) : list.map(({ key }) => key));
      }),
    );
  });

  test('gives two entries one key, or takes out another entry', () => {
    const list = withEntry(withEntry(withEntry([], 'a'), 'b'), 'c', 0);
    expect(list.map(({ value }) => value)).toEqual(['c', 'a', 'b']);
    expect(new Set(list.map(({ key }) => key)).size).toBe(3);
    expect(without(list, list[1]!.key).map(({ value }) => value)).toEqual(['c', 'b']);
    expect(replaced(list, list[2]!.key, 'x').map(({ value }) => value)).toEqual(['c', 'a', 'x']);
  });

  test('puts a new rule for a server behind one that decides all of its payments, where it would do nothing', () => {
    const { rules } = draftOfPolicy({ ...defaultPolicy('UTC'), rules: [{ when: { amount: { atLeast: '5', unit: 'USD' } }, verdict: 'ask' }, rule('other'), rule('weather'), { when: {}, verdict: 'deny' }] });
    expect(placeOfServerRule(rules, 'weather')).toBe(2);
    expect(placeOfServerRule(rules, 'search')).toBe(3);
    expect(placeOfServerRule(rules.slice(0, 2), 'weather')).toBe(2);
  });

  test('is said to be wrong at another field', () => {
    const issues = [{ field: 'caps[1].amount', name: 'amount', words: 'no number' }, { field: 'rules[0].when.amount.atMost', name: 'atMost', words: 'too fine' }];
    expect([problemAt(issues, 'caps[1].amount'), problemAt(issues, 'caps[1]'), problemAt(issues, 'caps[11]'), problemAt(issues, 'rules[0].when.amount'), problemAt(issues, 'rules[0].when.amo')]).toEqual(['no number', 'no number', undefined, 'too fine', undefined]);
  });
});

describe('edits on top of a newer version', () => {
  const cap = (amount: string, over = {}): Cap => ({ over, window: 'day', unit: 'USD', amount });
  const base: Policy = { ...defaultPolicy('UTC'), caps: [cap('10'), cap('2', { upstream: 'weather' })], rules: [{ when: { upstream: 'a' }, verdict: 'ask' }] };

  test('undo what the newer version changed, or are lost', () => {
    const mine: Policy = { ...base, caps: [cap('20'), base.caps[1]!] };
    const theirs: Policy = { ...base, otherwise: 'deny', paused: true, caps: [base.caps[0]!, cap('1', { upstream: 'weather' })], rules: [...base.rules, { when: {}, verdict: 'deny' }] };
    expect(mergePolicies(mine, base, theirs)).toEqual({ ...theirs, caps: [cap('1', { upstream: 'weather' }), cap('20')] });
  });

  test('add a limit twice that both made, or bring back one that the newer version took out', () => {
    const mine: Policy = { ...base, caps: [...base.caps, cap('5')] };
    const theirs: Policy = { ...base, caps: [base.caps[0]!, cap('5')] };
    expect(mergePolicies(mine, base, theirs).caps).toEqual([base.caps[0], cap('5')]);
  });

  test('are no policy, or change anything where only one side did', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, (one, other) => {
        expect(mergePolicies(one, one, other)).toEqual(other);
        expect(mergePolicies(other, one, one)).toEqual(expect.objectContaining({ ...other, caps: expect.arrayContaining(other.caps) as Cap[] }));
        expect(mergePolicies(other, one, one).caps).toHaveLength(other.caps.length);
      }),
    );
  });
});

test('a limit that is read as another: its time, its unit or its scope is not in its sentence', () => {
  expect(limitSentence({ over: { upstream: 'weather', tool: 'fore*' }, window: 'day', unit: 'USD', amount: '2' }, bare)).toBe('At most 2 US dollars a day for tool fore* on server weather.');
  expect(limitSentence({ over: {}, window: { rollingMinutes: 30 }, unit: 'payments', amount: '20' }, bare)).toBe('At most 20 payments in any 30 minutes.');
  expect(ruleSentence({ when: { upstream: 'weather', amount: { atMost: '0.10', unit: 'USD' } }, verdict: 'allow' }, bare)).toBe('Allow payments on server weather of up to 0.10 US dollars.');
  expect(ruleSentence({ when: {}, verdict: 'deny' }, bare)).toBe('Deny every payment.');
});
