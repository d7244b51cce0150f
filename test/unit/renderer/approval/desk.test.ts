import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { canDecide, openDesk, type Desk, type DeskState } from '../../../../src/renderer/approval/desk.ts';
import type { Link, LinkState } from '../../../../src/renderer/client/link.ts';
import type { Envelope, RouteName, Topic } from '../../../../src/shared/contract/contract.ts';
import type { ErrorCode } from '../../../../src/shared/errors/codes.ts';
import { anApproval } from '../support/approval.ts';

const refuse = (code: ErrorCode): Envelope<never> => ({ ok: false, error: { code, message: code, hint: '', context: {} } });
const give = (value: unknown): Envelope<unknown> => ({ ok: true, value });

type Answer = (input: Record<string, unknown>) => Envelope<unknown> | Promise<Envelope<unknown>>;

/** A main that answers as told, and fails the test when asked for anything else. */
function aMain(answers: Partial<Record<RouteName, Answer>>) {
  const calls: [RouteName, Record<string, unknown>][] = [];
  const topics = new Set<(event: { topic: Topic }) => void>();
  const states = new Set<() => void>();
  let state: LinkState = { phase: 'open', attempts: 0 };
  const link: Link = {
    state: () => state,
    onState: (listener) => (states.add(listener), () => states.delete(listener)),
    subscribe: (listener) => (topics.add(listener), () => topics.delete(listener)),
    async request(route, input) {
      calls.push([route, input]);
      const answer = answers[route];
      if (!answer) throw new Error(`unexpected ${route}`);
      return (await answer(input)) as never;
    },
  };
  return {
    link,
    answers,
    calls,
    named: (route: RouteName) => calls.filter(([name]) => name === route).map(([, input]) => input),
    emit: (topic: Topic) => topics.forEach((listener) => listener({ topic })),
    go(next: LinkState) {
      state = next;
      states.forEach((listener) => listener());
    },
  };
}

let attended: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  attended = true;
});

afterEach(() => {
  vi.useRealTimers();
});

async function aDesk(answers: Partial<Record<RouteName, Answer>> = {}) {
  const main = aMain({
    'approvals.current': () => give({ approval: anApproval(), count: 1 }),
    'approvals.report': ({ visible }) => give(visible ? { answerableAt: Date.now() + 1_000 } : {}),
    'approvals.decide': () => give({}),
    'policy.get': () => give({ policy: {} }),
    'owner.status': () => give({ passphraseSet: true, sessionNeeded: true, locked: false }),
    ...answers,
  });
  const states: DeskState[] = [];
  const desk: Desk = openDesk({ link: main.link, isAttended: () => attended, onChange: (state) => states.push(state) });
  await desk.refresh();
  const may = (decision: 'approve' | 'reject' = 'approve') => canDecide(desk.state(), decision, Date.now());
  return { desk, main, may, states };
}

describe('the second before an answer', () => {
  test('has to pass after main was told, and not one moment less', async () => {
    const { desk, main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(999);
    expect(may()).toBe(false);
    await desk.decide('approve');
    expect(main.named('approvals.decide')).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(may()).toBe(true);
    expect(may('reject')).toBe(true);
  });

  test('begins anew when the page lost the focus in between', async () => {
    const { desk, main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(2_000);
    attended = false;
    await desk.attend();
    expect(may()).toBe(false);
    attended = true;
    await desk.attend();
    await vi.advanceTimersByTimeAsync(900);
    expect(may()).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(may()).toBe(true);
    expect(main.named('approvals.report').map(({ visible }) => visible)).toEqual([true, false, true]);
  });

  test('never starts while nobody looks, and a page that was never looked at does not speak for another', async () => {
    attended = false;
    const { main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(may()).toBe(false);
    expect(main.named('approvals.report')).toEqual([]);
  });

  test('is asked for again when main says that its window is hidden', async () => {
    let hidden = true;
    const { desk, may } = await aDesk({ 'approvals.report': () => give(hidden ? {} : { answerableAt: Date.now() + 1_000 }) });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(may()).toBe(false);
    hidden = false;
    await desk.attend();
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(true);
  });

  test('begins anew for the next request', async () => {
    const { desk, main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(2_000);
    main.answers['approvals.current'] = () => give({ approval: anApproval({ paymentId: 'pay_2', nonce: 'nonce-2' }), count: 1 });
    await desk.refresh();
    expect(may()).toBe(false);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(true);
  });

  test('begins anew, in words, when main found it too early', async () => {
    const { desk, may } = await aDesk({ 'approvals.decide': () => refuse('APPROVAL_TOO_EARLY') });
    await vi.advanceTimersByTimeAsync(1_100);
    await desk.decide('approve');
    expect(desk.state().error?.code).toBe('APPROVAL_TOO_EARLY');
    expect(may()).toBe(false);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(true);
  });
});

describe('a decision', () => {
  test('carries the digest and nonce of what was on screen, once', async () => {
    const { desk, main } = await aDesk();
    await vi.advanceTimersByTimeAsync(1_100);
    main.answers['approvals.current'] = () => give({ count: 0 });
    await Promise.all([desk.decide('approve'), desk.decide('approve'), desk.decide('reject')]);
    expect(main.named('approvals.decide')).toEqual([{ paymentId: 'pay_1', termsDigest: 'digest-1', nonce: 'nonce-1', decision: 'approve' }]);
    expect(desk.state()).toMatchObject({ approval: undefined, count: 0 });
    expect(desk.state().notice).toContain('demo');
  });

  test('is impossible after the request expired', async () => {
    const { may } = await aDesk({ 'approvals.current': () => give({ approval: anApproval({ expiresAt: Date.now() + 1_500 }), count: 1 }) });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(true);
    await vi.advanceTimersByTimeAsync(500);
    expect(may()).toBe(false);
    expect(may('reject')).toBe(false);
  });

  test('that met a changed request shows the new one and why', async () => {
    const { desk, main, may } = await aDesk({ 'approvals.decide': () => refuse('APPROVAL_STALE') });
    await vi.advanceTimersByTimeAsync(1_100);
    main.answers['approvals.current'] = () => give({ approval: anApproval({ nonce: 'nonce-2', termsDigest: 'digest-2' }), count: 1 });
    await desk.decide('approve');
    expect(desk.state()).toMatchObject({ error: { code: 'APPROVAL_STALE' }, approval: { nonce: 'nonce-2' } });
    expect(may()).toBe(false);
  });
});

describe('stale terms', () => {
  test('cannot be answered from an event until they are read again', async () => {
    const { main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(1_100);
    const { promise, resolve } = Promise.withResolvers<Envelope<unknown>>();
    main.answers['approvals.current'] = () => promise;
    main.emit('approvals');
    expect(may()).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(may()).toBe(false);
    resolve(give({ approval: anApproval(), count: 2 }));
    await vi.advanceTimersByTimeAsync(0);
    expect(may()).toBe(true);
  });

  test('an agent that asks in a loop does not make the page ask main in the same loop', async () => {
    const { main } = await aDesk();
    const before = main.named('approvals.current').length;
    for (let event = 0; event < 500; event++) {
      main.emit('approvals');
      await vi.advanceTimersByTimeAsync(2);
    }
    expect(main.named('approvals.current').length - before).toBeLessThanOrEqual(20);
  });

  test('cannot be answered while the connection is down, nor before they were read after it', async () => {
    const { desk, main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(1_100);
    main.go({ phase: 'lost', attempts: 1 });
    expect(may()).toBe(false);
    main.go({ phase: 'open', attempts: 0 });
    expect(may()).toBe(false);
    await desk.refresh();
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(true);
  });

  test('a connection that is down is told twice, or a decision that was lost with it not at all', async () => {
    const { desk, main, may } = await aDesk();
    await vi.advanceTimersByTimeAsync(1_000);
    main.go({ phase: 'lost', attempts: 1 });
    for (const route of ['approvals.current', 'approvals.report', 'approvals.decide'] as const) main.answers[route] = () => refuse('LINK_LOST');
    await desk.refresh();
    expect([desk.state().error, may()]).toEqual([undefined, false]);
    main.answers['approvals.current'] = () => give({ approval: anApproval(), count: 1 });
    main.answers['approvals.report'] = ({ visible }) => give(visible ? { answerableAt: Date.now() + 1_000 } : {});
    main.go({ phase: 'open', attempts: 0 });
    await desk.refresh();
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(true);
    await desk.decide('approve');
    expect(desk.state().error?.code).toBe('LINK_LOST');
  });

  test('an older reading that arrives late does not replace a newer one', async () => {
    const { desk, main } = await aDesk();
    const { promise, resolve } = Promise.withResolvers<Envelope<unknown>>();
    main.answers['approvals.current'] = () => promise;
    const slow = desk.refresh();
    main.answers['approvals.current'] = () => give({ count: 0 });
    await desk.refresh();
    resolve(give({ approval: anApproval(), count: 1 }));
    await slow;
    expect(desk.state().approval).toBeUndefined();
  });

  test('a request that cannot be read is not answerable', async () => {
    const { desk, may } = await aDesk({ 'approvals.current': () => give({ approval: { ...anApproval(), payee: 7 }, count: 1 }) });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may('reject')).toBe(false);
    expect(desk.state().error?.context['reason']).toBe('unreadable');
  });
});

describe('locked keys and a missing owner session', () => {
  test('keep Approve closed and leave Reject open while the keys are locked', async () => {
    const { may } = await aDesk({ 'approvals.current': () => give({ approval: anApproval({ locked: true }), count: 1 }) });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(may()).toBe(false);
    expect(may('reject')).toBe(true);
  });

  test('ask for the passphrase where even reading needs the owner, and read on after it', async () => {
    const { desk, main } = await aDesk({ 'approvals.current': () => refuse('OWNER_REQUIRED') });
    expect(desk.state()).toMatchObject({ owner: 'unlock', approval: undefined });
    main.answers['owner.unlock'] = ({ passphrase }) => (passphrase === 'right' ? give({ passphraseSet: true, sessionNeeded: true, locked: false }) : refuse('PASSPHRASE_WRONG'));
    await desk.unlock('wrong');
    expect(desk.state()).toMatchObject({ owner: 'unlock', error: { code: 'PASSPHRASE_WRONG' } });
    main.answers['approvals.current'] = () => give({ approval: anApproval(), count: 1 });
    await desk.unlock('right');
    expect(desk.state()).toMatchObject({ owner: 'enough', approval: { paymentId: 'pay_1' } });
  });

  test('say that a passphrase has to be set first where there is none', async () => {
    const { desk } = await aDesk({
      'approvals.current': () => refuse('OWNER_REQUIRED'),
      'owner.status': () => give({ passphraseSet: false, sessionNeeded: true, locked: false }),
    });
    expect(desk.state().owner).toBe('unset');
  });
});

describe('the proof that the owner is there', () => {
  const unproven = () => {
    let proven = false;
    return { prove: () => (proven = true), answers: { 'approvals.decide': () => (proven ? give({}) : refuse('PRESENCE_REQUIRED')) } };
  };

  test('is shown as a failure, or is asked for another act than the refused one', async () => {
    const { desk, main } = await aDesk(unproven().answers);
    await vi.advanceTimersByTimeAsync(1_100);
    await desk.decide('approve');
    expect(desk.state()).toMatchObject({ error: undefined, deciding: undefined, proving: { route: 'approvals.decide', input: main.named('approvals.decide')[0] } });
  });

  test('is given, and the payment waits on; or is sent while the window that asked for it covers the page', async () => {
    const { prove, answers } = unproven();
    const { desk, main } = await aDesk(answers);
    await vi.advanceTimersByTimeAsync(1_100);
    await desk.decide('approve');
    attended = false;
    await desk.attend();
    prove();
    await desk.proven();
    expect(main.named('approvals.decide')).toHaveLength(1);
    attended = true;
    await desk.attend();
    await vi.advanceTimersByTimeAsync(900);
    expect(main.named('approvals.decide')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(main.named('approvals.decide')).toHaveLength(2);
    expect(desk.state().notice).not.toBe('');
  });

  test('approves the next request, or the same one after the owner went back', async () => {
    const { desk, main } = await aDesk(unproven().answers);
    await vi.advanceTimersByTimeAsync(1_100);
    await desk.decide('approve');
    desk.stopProving();
    await desk.proven();
    expect(desk.state()).toMatchObject({ proving: undefined, error: undefined });
    await desk.decide('approve');
    main.answers['approvals.current'] = () => give({ approval: anApproval({ paymentId: 'pay_2', nonce: 'nonce-2' }), count: 1 });
    await desk.refresh();
    expect(desk.state().proving).toBeUndefined();
    await desk.proven();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(main.named('approvals.decide').map(({ paymentId }) => paymentId)).toEqual(['pay_1', 'pay_1']);
  });
});
