import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDraft, draftOf, type BudgetDraft, type ServerDraft } from '../../../../src/renderer/dashboard/policy/budget-draft.ts';
import { amountProblem, callRemark, isSavable, timeZoneProblem } from '../../../../src/renderer/dashboard/policy/budget-problems.ts';
import { defaultPolicy, Policy, type Verdict } from '../../../../src/shared/policy/policy.ts';

const base: Policy = {
  version: 1,
  timeZone: 'Europe/Lisbon',
  caps: [
    { over: {}, window: 'call', unit: 'USD', amount: '1.00' },
    { over: { upstream: 'other' }, window: 'day', unit: 'USD', amount: '2' },
    { over: {}, window: 'day', unit: 'USD', amount: '10.00' },
  ],
  rules: [{ when: { upstream: 'other' }, verdict: 'deny', note: 'never again' }],
  otherwise: 'ask',
};

const edit = (draft: BudgetDraft, upstream: string, change: Partial<ServerDraft>): BudgetDraft => ({
  ...draft,
  servers: draft.servers.map((server) => (server.upstream === upstream ? { ...server, ...change } : server)),
});
const saved = (policy: Policy, upstreams: string[], change: (draft: BudgetDraft) => BudgetDraft): Policy => applyDraft(policy, change(draftOf(policy, upstreams)));

describe('from policy to form', () => {
  test('shows servers that only the policy names, so that their rules cannot hide', () => {
    expect(draftOf(base, ['demo']).servers).toEqual([
      { upstream: 'demo', verdict: 'inherit', call: '', day: '' },
      { upstream: 'other', verdict: 'deny', call: '', day: '2' },
    ]);
  });

  test('shows the tightest of several limits, for all of them hold', () => {
    const policy: Policy = { ...base, caps: [...base.caps, { over: {}, window: 'day', unit: 'USD', amount: '9.5' }] };
    expect(draftOf(policy, []).day).toBe('9.5');
  });

  test('does not show a verdict that an earlier rule for everything makes void', () => {
    const policy: Policy = { ...base, rules: [{ when: {}, verdict: 'deny' }, { when: { upstream: 'demo' }, verdict: 'allow' }] };
    expect(draftOf(policy, ['demo'])).toMatchObject({ otherwise: 'deny', servers: [{ upstream: 'demo', verdict: 'inherit' }, { upstream: 'other' }] });
  });
});

describe('from form to policy', () => {
  test('an untouched form changes nothing, whatever the policy is', () => {
    const scope = fc.constantFrom({}, { upstream: 'demo' }, { upstream: 'other' });
    const policies = fc.record({
      caps: fc.array(fc.record({ over: scope, window: fc.constantFrom('call' as const, 'day' as const), unit: fc.constant('USD' as const), amount: fc.constantFrom('0', '1', '1.00', '2.5') })),
      rules: fc.array(fc.record({ when: scope, verdict: fc.constantFrom<Verdict>('allow', 'ask', 'deny') })),
      otherwise: fc.constantFrom<Verdict>('allow', 'ask', 'deny'),
    });
    fc.assert(
      fc.property(policies, (parts) => {
        const policy: Policy = { version: 1, timeZone: 'UTC', ...parts };
        expect(saved(policy, ['demo'], (draft) => draft)).toEqual(policy);
      }),
    );
  });

  test('what was typed is what the form shows afterwards, and the result is a valid policy', () => {
    const scope = fc.constantFrom({}, { upstream: 'demo' }, { upstream: 'other' });
    const rules = fc.array(fc.record({ when: scope, verdict: fc.constantFrom<Verdict>('allow', 'ask', 'deny') }), { maxLength: 5 });
    const amount = fc.constantFrom('', '0', '0.5', '12');
    fc.assert(
      fc.property(rules, amount, amount, fc.constantFrom<ServerDraft['verdict']>('allow', 'ask', 'deny', 'inherit'), fc.constantFrom<Verdict>('allow', 'ask', 'deny'), (before, call, day, verdict, otherwise) => {
        const policy: Policy = { ...base, rules: before };
        const draft = { ...edit(draftOf(policy, ['demo']), 'demo', { verdict, call, day }), otherwise };
        const next = applyDraft(policy, draft);
        expect(draftOf(next, ['demo'])).toEqual(draft);
        expect(Policy.safeParse(next).success).toBe(true);
      }),
    );
  });

  test('a verdict and a limit of one server leave every other rule and limit in place', () => {
    const next = saved(base, ['demo'], (draft) => edit(draft, 'demo', { verdict: 'allow', day: '3' }));
    expect(next.caps).toEqual([...base.caps, { over: { upstream: 'demo' }, window: 'day', unit: 'USD', amount: '3' }]);
    expect(next.rules).toEqual([...base.rules, { when: { upstream: 'demo' }, verdict: 'allow' }]);
  });

  test('caps and rules with conditions that this page does not know survive untouched', () => {
    const narrow = { upstream: 'demo', tool: 'search' };
    const policy = { ...base, caps: [...base.caps, { over: narrow, window: 'call', unit: 'USD', amount: '0.10' }], rules: [{ when: narrow, verdict: 'ask' }, ...base.rules] } as Policy;
    const next = saved(policy, ['demo'], (draft) => ({ ...edit(draft, 'demo', { verdict: 'deny', call: '0.5' }), day: '' }));
    expect(next.caps).toContainEqual({ over: narrow, window: 'call', unit: 'USD', amount: '0.10' });
    expect(next.rules[0]).toEqual({ when: narrow, verdict: 'ask' });
    expect(next.caps).toContainEqual({ over: { upstream: 'demo' }, window: 'call', unit: 'USD', amount: '0.5' });
  });

  test('a new verdict stands before a rule for everything, or it would never be reached', () => {
    const policy: Policy = { ...base, rules: [{ when: {}, verdict: 'ask' }] };
    expect(saved(policy, ['demo'], (draft) => edit(draft, 'demo', { verdict: 'deny' })).rules).toEqual([
      { when: { upstream: 'demo' }, verdict: 'deny' },
      { when: {}, verdict: 'ask' },
    ]);
  });

  test('an emptied limit removes every limit of that scope, so that no hidden one stays', () => {
    const policy: Policy = { ...base, caps: [...base.caps, { over: {}, window: 'day', unit: 'USD', amount: '20' }] };
    expect(saved(policy, [], (draft) => ({ ...draft, day: '' })).caps).toEqual(base.caps.slice(0, 2));
  });

  test('the same amount written otherwise is no change', () => {
    expect(saved(base, [], (draft) => ({ ...draft, day: '10' }))).toEqual(base);
  });
});

describe('problems', () => {
  test.each(['1,50', '-1', '+1', '1e3', '.5', '1.', '01', 'abc', '1.0000001', '１'])('%s is not accepted as an amount', (text) => {
    expect(amountProblem(text)).toBeDefined();
  });

  test.each(['', '0', '1', '1.5', '0.000001', '9'.repeat(60)])('%s is accepted', (text) => {
    expect(amountProblem(text)).toBeUndefined();
  });

  test('a form with a problem anywhere is not saved', () => {
    const draft = draftOf(defaultPolicy('UTC'), ['demo']);
    expect(isSavable(draft)).toBe(true);
    expect(isSavable(edit(draft, 'demo', { day: '1,5' }))).toBe(false);
    expect(isSavable({ ...draft, timeZone: 'Atlantis/Deep' })).toBe(false);
    expect(timeZoneProblem('Atlantis/Deep')).toBeDefined();
  });

  test('a call limit above the day limit is remarked on', () => {
    expect(callRemark({ call: '11', day: '10.0' })).toBeDefined();
    expect(callRemark({ call: '10', day: '10.0' })).toBeUndefined();
  });
});
