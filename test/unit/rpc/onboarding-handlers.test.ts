import { expect, test } from 'vitest';
import { onboardingHandlers, type OnboardingDeps, type Progress } from '../../../src/main/rpc/handlers/onboarding.ts';

const caller = { surface: 'dashboard', connection: 'a', host: 'headless' } as const;

function handlersWith(changes: Partial<OnboardingDeps> = {}) {
  let kept: Progress = { closed: false, passed: [] };
  const handlers = onboardingHandlers({ get: () => kept, keep: (progress) => void (kept = progress), buy: () => Promise.reject(new Error('unexpected')), faucets: () => [], changed: () => {}, ...changes });
  return { handlers, kept: () => kept };
}

test('a step that was passed twice counts twice, or closing the first steps forgets how far they were', async () => {
  const { handlers, kept } = handlersWith();
  for (const passed of ['call', 'call', 'money'] as const) await handlers['onboarding.set']({ passed }, caller);
  await handlers['onboarding.set']({ closed: true }, caller);
  expect(kept()).toEqual({ closed: true, passed: ['call', 'money'] });
  await handlers['onboarding.set']({ passed: 'client' }, caller);
  expect(kept().closed).toBe(true);
});

test('without a sandbox something is bought', async () => {
  await expect(handlersWith().handlers['onboarding.buy']({}, caller)).rejects.toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

test('something else than the sandbox’s demonstration is bought, or its answer reaches it with what hides text', async () => {
  const bought: string[] = [];
  const { handlers } = handlersWith({
    demo: 'http://127.0.0.1:1/demo',
    async buy(url) {
      bought.push(url);
      return { status: 200, headers: {}, body: `a\u202Eb${'x'.repeat(5000)}`, encoding: 'utf8' };
    },
  });
  const { text } = await handlers['onboarding.buy']({}, caller);
  expect(bought).toEqual(['http://127.0.0.1:1/demo']);
  expect(text.startsWith('abx')).toBe(true);
  expect(text.length).toBeLessThan(2100);
});
