import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DeskState } from '../../../../src/renderer/approval/desk.ts';
import { canSave, openStanding, type StandingState } from '../../../../src/renderer/approval/standing.ts';
import type { Link } from '../../../../src/renderer/client/link.ts';
import type { Envelope, RouteName } from '../../../../src/shared/contract/contract.ts';
import type { ErrorCode } from '../../../../src/shared/errors/codes.ts';
import { anApproval } from '../support/approval.ts';
import { aProposal } from '../support/proposal.ts';

const give = (value: unknown): Envelope<unknown> => ({ ok: true, value });
const refuse = (code: ErrorCode): Envelope<never> => ({ ok: false, error: { code, message: code, hint: '', context: {} } });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function aWorld(answers: Partial<Record<RouteName, (input: Record<string, unknown>) => Envelope<unknown>>> = {}, decided: Partial<DeskState> = { approval: undefined, notice: 'Approved.' }) {
  const calls: [string, unknown][] = [];
  const replies = {
    'approvals.proposeRule': ({ act }: Record<string, unknown>) => give(aProposal((act as { kind: 'allow-tool' }).kind, { answerableAt: Date.now() + 1_000 })),
    'approvals.saveRule': () => give({ number: 2 }),
    ...answers,
  };
  const link = {
    request: async (route: RouteName, input: Record<string, unknown>) => {
      calls.push([route, input]);
      const answer = replies[route as 'approvals.saveRule'];
      if (!answer) throw new Error(`unexpected ${route}`);
      return answer(input);
    },
  } as unknown as Link;
  let desk: DeskState = {
    link: { phase: 'open', attempts: 0 }, read: true, approval: anApproval(), count: 1, current: true, answerable: true, attended: true,
    deciding: undefined, proving: undefined, owner: 'enough', unlocking: false, error: undefined, paused: false, notice: '',
  };
  const done: string[] = [];
  const states: StandingState[] = [];
  const standing = openStanding({
    link,
    desk: {
      state: () => desk,
      refresh: async () => void done.push('refresh'),
      async decide(decision) {
        done.push(decision);
        desk = { ...desk, ...decided };
      },
      tell: (notice) => void done.push(notice),
    },
    onChange: (state) => states.push(state),
  });
  return {
    standing, calls, done, states,
    setDesk(change: Partial<DeskState>) {
      desk = { ...desk, ...change };
      standing.follow(desk);
    },
    may: () => canSave(standing.state(), desk, Date.now()),
    named: (route: string) => calls.filter(([name]) => name === route).map(([, input]) => input),
  };
}

const NAMES = { paymentId: 'pay_1', termsDigest: 'digest-1', nonce: 'nonce-1' };

test('a rule is saved before its second, or another than main proposed, or the payment is approved without it', async () => {
  const { standing, may, named, done } = aWorld();
  standing.begin('allow-tool');
  await standing.propose('0.50');
  expect(named('approvals.proposeRule')).toEqual([{ ...NAMES, act: { kind: 'allow-tool', perDay: '0.50' } }]);
  await vi.advanceTimersByTimeAsync(999);
  expect(may()).toBe(false);
  await standing.save();
  expect(named('approvals.saveRule')).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(may()).toBe(true);
  await standing.save();
  expect(named('approvals.saveRule')).toEqual([{ ...NAMES, proposal: 'proposal-1', kind: 'allow-tool' }]);
  expect(done).toEqual(['refresh', 'approve', 'Approved. The rule is saved.']);
  expect(standing.state().kind).toBeUndefined();
});

test('blocking a server approves what waits, or wants an unlocked wallet', async () => {
  const { standing, named, done, setDesk } = aWorld();
  setDesk({ approval: anApproval({ locked: true }) });
  standing.begin('block-server');
  await vi.advanceTimersByTimeAsync(1_100);
  await standing.save();
  expect(named('approvals.saveRule')).toHaveLength(1);
  expect(done[0]).toContain('demo is blocked');
  expect(done).not.toContain('approve');
});

test('a rule that was proposed beside one request is saved beside another, unseen, or while nothing can be answered', async () => {
  const { standing, may, setDesk, named } = aWorld();
  standing.begin('allow-tool');
  await standing.propose('0.50');
  await vi.advanceTimersByTimeAsync(1_100);
  const usual = { current: true, attended: true, answerable: true, owner: 'enough', deciding: undefined, approval: anApproval(), link: { phase: 'open', attempts: 0 } } as const;
  const not: Partial<DeskState>[] = [{ current: false }, { attended: false }, { answerable: false }, { owner: 'unlock' }, { deciding: 'reject' }, { approval: anApproval({ locked: true }) }, { link: { phase: 'lost', attempts: 1 } }];
  for (const change of not) {
    setDesk(change);
    expect([change, may()]).toEqual([change, false]);
    setDesk(usual);
    expect(may()).toBe(true);
  }
  setDesk({ approval: anApproval({ nonce: 'nonce-2' }) });
  expect(standing.state().kind).toBeUndefined();
  await standing.save();
  expect(named('approvals.saveRule')).toEqual([]);
});

test('an answer that comes late is shown beside what was begun since, or one of another form is shown at all', async () => {
  const late = aWorld();
  late.standing.begin('allow-tool');
  const asked = late.standing.propose('0.50');
  late.standing.close();
  await asked;
  expect(late.standing.state()).toMatchObject({ kind: undefined, proposal: undefined });

  for (const broken of [{}, aProposal('block-server'), { ...aProposal('allow-tool'), cap: undefined }]) {
    const odd = aWorld({ 'approvals.proposeRule': () => give(broken) });
    odd.standing.begin('allow-tool');
    await odd.standing.propose('0.50');
    expect(odd.standing.state()).toMatchObject({ proposal: undefined, error: { code: 'INTERNAL' } });
  }
});

test('a policy that changed meanwhile leaves the old rule on screen', async () => {
  const { standing, done } = aWorld({ 'approvals.saveRule': () => refuse('APPROVAL_STALE') });
  standing.begin('allow-tool');
  await standing.propose('0.50');
  await vi.advanceTimersByTimeAsync(1_100);
  await standing.save();
  expect(standing.state()).toMatchObject({ kind: 'allow-tool', proposal: undefined, busy: undefined, error: { code: 'APPROVAL_STALE' } });
  expect(done).toEqual([]);
});

test('I7: a rule is saved without the proof that main wants, before its second is over again after it, or under another proposal than the one that was proven', async () => {
  let proven = false;
  const { standing, named, done, setDesk } = aWorld({ 'approvals.saveRule': () => (proven ? give({ number: 2 }) : refuse('PRESENCE_REQUIRED')) });
  standing.begin('allow-tool');
  await standing.propose('0.50');
  await vi.advanceTimersByTimeAsync(1_100);
  await standing.save();
  const input = { ...NAMES, proposal: 'proposal-1', kind: 'allow-tool' };
  expect(standing.state()).toMatchObject({ kind: 'allow-tool', busy: undefined, error: undefined, proving: { route: 'approvals.saveRule', input } });
  expect(done).toEqual([]);

  // The passkey's own window took the focus.
  setDesk({ attended: false, answerable: false });
  proven = true;
  await standing.proven();
  setDesk({ attended: true });
  expect(named('approvals.saveRule')).toHaveLength(1);
  setDesk({ answerable: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(named('approvals.saveRule')).toEqual([input, input]);
  expect(done).toEqual(['refresh', 'approve', 'Approved. The rule is saved.']);
});

test('I7: what was proven for one rule saves it after the owner went back, or closed it', async () => {
  for (const leave of ['back', 'close', 'stopProving'] as const) {
    const { standing, named, setDesk } = aWorld({ 'approvals.saveRule': () => refuse('PRESENCE_REQUIRED') });
    standing.begin('allow-tool');
    await standing.propose('0.50');
    await vi.advanceTimersByTimeAsync(1_100);
    await standing.save();
    if (leave !== 'stopProving') {
      setDesk({ answerable: false });
      await standing.proven();
    }
    standing[leave]();
    setDesk({ answerable: true });
    await standing.proven();
    await vi.advanceTimersByTimeAsync(0);
    expect([leave, named('approvals.saveRule').length, standing.state().proving]).toEqual([leave, 1, undefined]);
  }
});

test('a payment above the amount asks for a second proof and nothing says why', async () => {
  const { standing, done } = aWorld({}, { proving: { route: 'approvals.decide', input: {} } });
  standing.begin('allow-tool');
  await standing.propose('0.50');
  await vi.advanceTimersByTimeAsync(1_100);
  await standing.save();
  expect(done).toEqual(['refresh', 'approve', expect.stringMatching(/^The rule is saved\. .*once more/)]);
});
