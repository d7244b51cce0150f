import { expect, test } from './app.ts';
import { askFrom } from './page-request.ts';

/** The policy's directives that no host may loosen. */
const STRICT = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

test('the dashboard is up and its page breaks no rule of its own policy', async ({ app }) => {
  const errors: string[] = [];
  app.dashboard.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await app.dashboard.reload();
  await expect(app.dashboard.getByRole('heading').first()).toBeVisible();
  expect(errors).toEqual([]);
});

test('the page is served with the strict policy as a header', async ({ app }) => {
  const response = await app.dashboard.reload();
  const policy = (await response?.headerValue('content-security-policy'))?.split('; ') ?? [];
  expect(policy).toEqual(expect.arrayContaining(STRICT));
  expect(policy.join()).not.toContain('unsafe');
});

test('an inline script that got into the page does not run', async ({ app }) => {
  const outcome = await app.dashboard.evaluate(async () => {
    const violated = new Promise<string>((resolve) => document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true }));
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return { directive: await violated, ran: 'ran' in window };
  });
  expect(outcome).toEqual({ directive: 'script-src-elem', ran: false });
});

test('a script in the page reaches no other server', async ({ app }) => {
  const outcome = await app.dashboard.evaluate(() => fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'refused'));
  expect(outcome).toBe('refused');
  const violated = await app.dashboard.evaluate(
    () =>
      new Promise<string>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
        fetch('https://example.com/').catch(() => undefined);
      }),
  );
  expect(violated).toBe('connect-src');
});

test('the page has nothing of Node or Electron but the two calls of its bridge', async ({ app }) => {
  const seen = await app.dashboard.evaluate(() => ({
    globals: ['require', 'process', 'module', 'Buffer', 'electron'].filter((name) => name in window),
    bridge: Object.keys((window as unknown as { bursar?: object }).bursar ?? {}).toSorted(),
    frozen: Object.isFrozen((window as unknown as { bursar?: object }).bursar ?? Object.freeze({})),
  }));
  expect(seen).toEqual({ globals: [], bridge: app.electron ? ['request', 'subscribe'] : [], frozen: true });
});

test('a decision forged by the dashboard is refused', async ({ app }) => {
  const reply = await askFrom(app.dashboard, 'approvals.decide', { paymentId: 'p', termsDigest: 'd', nonce: 'n', decision: 'approve' });
  if (app.electron) expect(reply).toBe('refused by the preload');
  else expect(reply).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
});

test('a page cannot be led elsewhere and cannot open windows', async ({ app }) => {
  test.skip(app.electron === undefined, 'a browser lets its user go where they like');
  const before = app.dashboard.url();
  const windows = app.electron?.windows().length;
  await app.dashboard.evaluate(() => {
    window.location.href = 'https://example.com/';
    window.open('https://example.com/');
  });
  // An answer by main comes after the navigation was asked for, so that it had its chance.
  await askFrom(app.dashboard, 'app.status', {});
  expect(app.dashboard.url()).toBe(before);
  expect(app.electron?.windows().length).toBe(windows);
});
