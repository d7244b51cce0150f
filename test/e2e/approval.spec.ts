import type { Page } from '@playwright/test';
import type { ApprovalView } from '../../src/shared/contract/approvals.ts';
import type { Envelope } from '../../src/shared/contract/contract.ts';
import { httpAgent, type ToolAnswer } from '../support/http-agent.ts';
import { expect, test } from './app.ts';
import { askFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

/** Costs 0.01 USDC on the local EVM network. */
const callPaidTool = async (app: RunningApp): Promise<ToolAnswer> => (await httpAgent(app)).call('sun_times', { latitude: 52.5, longitude: 13.4, date: '2026-06-21' });
const button = (page: Page, name: 'Approve' | 'Reject') => page.getByRole('button', { name: new RegExp(`^${name}`) });
const textOf = ({ result }: ToolAnswer): string => result?.content.map(({ text }) => text).join('\n') ?? '';

async function current(page: Page): Promise<ApprovalView> {
  let found: ApprovalView | undefined;
  await expect
    .poll(async () => {
      const reply = (await askFrom(page, 'approvals.current', {}, 'approval')) as Envelope<{ approval?: ApprovalView }>;
      found = reply.ok ? reply.value.approval : undefined;
      return found !== undefined;
    }, { intervals: [20] })
    .toBe(true);
  if (found === undefined) throw new Error('nothing waits');
  return found;
}

/** The code of main's answer to a decision that a script in the page sends by itself. */
async function decideByScript(page: Page, { paymentId, termsDigest, nonce }: ApprovalView): Promise<string> {
  const reply = (await askFrom(page, 'approvals.decide', { paymentId, termsDigest, nonce, decision: 'approve' }, 'approval')) as Envelope<unknown>;
  return reply.ok ? 'ok' : reply.error.code;
}

test('an approved call gets its answer, and the owner saw amount, network, payee and tool', async ({ app }) => {
  const answer = callPaidTool(app);
  const page = await app.attendedApproval();
  const { payee } = await current(page);
  await expect(button(page, 'Approve')).toBeEnabled();
  const shown = await page.locator('main').innerText();
  expect(shown.replaceAll(/\s/g, '')).toContain(payee);
  for (const words of ['0.01', 'USDC', 'Base Sepolia', 'sun_times', 'demo']) expect(shown).toContain(words);
  await button(page, 'Approve').click();
  const { result } = await answer;
  expect(result?.isError ?? false).toBe(false);
});

test('a rejected call gets a readable refusal and does not hang', async ({ app }) => {
  const answer = callPaidTool(app);
  const page = await app.attendedApproval();
  await button(page, 'Reject').click();
  const refused = await answer;
  expect(refused.result?.isError).toBe(true);
  expect(textOf(refused)).toContain('APPROVAL_REJECTED');
});

test('main refuses an approval before the request was on screen for a second, whatever the page sends', async ({ app }) => {
  const answer = callPaidTool(app);
  const page = await app.attendedApproval();
  const approval = await current(page);
  // Hidden once, its second begins anew, however slow this machine is.
  await askFrom(page, 'approvals.report', { paymentId: approval.paymentId, visible: false }, 'approval');
  expect(await decideByScript(page, approval)).toBe('APPROVAL_TOO_EARLY');
  await page.reload();
  await expect(button(page, 'Reject')).toBeDisabled();
  await expect(button(page, 'Approve')).toBeEnabled();
  await button(page, 'Reject').click();
  expect(textOf(await answer)).toContain('APPROVAL_REJECTED');
});

test('an answer to other terms than the waiting ones is refused', async ({ app }) => {
  const answer = callPaidTool(app);
  const page = await app.attendedApproval();
  const approval = await current(page);
  await expect(button(page, 'Approve')).toBeEnabled();
  expect(await decideByScript(page, { ...approval, termsDigest: 'f'.repeat(64) })).toBe('APPROVAL_STALE');
  expect(await decideByScript(page, { ...approval, nonce: '0'.repeat(32) })).toBe('APPROVAL_STALE');
  await button(page, 'Reject').click();
  expect(textOf(await answer)).toContain('APPROVAL_REJECTED');
  // The popup is gone with its request; a browser's page stays and could try again.
  if (app.electron === undefined) expect(await decideByScript(page, approval)).toBe('APPROVAL_STALE');
});

test('closing the popup rejects, and what the window does not show cannot be approved', async ({ app }) => {
  test.skip(app.electron === undefined, 'a browser tab that closes answers nothing');
  const answer = callPaidTool(app);
  const page = await app.attendedApproval();
  await expect(button(page, 'Approve')).toBeEnabled();
  const popup = await app.electron?.browserWindow(page);
  await popup?.evaluate((window) => window.blur());
  expect(await decideByScript(page, await current(page))).toBe('APPROVAL_TOO_EARLY');
  expect(await popup?.evaluate((window) => [window.isDestroyed(), window.isAlwaysOnTop()])).toEqual([false, true]);
  await page.close();
  const refused = await answer;
  expect(refused.result?.isError).toBe(true);
  expect(textOf(refused)).toContain('APPROVAL_REJECTED');
});

test('the popup does not take the focus, and a notification without a button tells of it', async ({ app, host }) => {
  test.skip(host !== 'double', 'only the double records focus and notifications');
  const dashboard = await app.electron?.browserWindow(app.dashboard);
  await dashboard?.evaluate((window) => window.blur());
  const answer = callPaidTool(app);
  const page = await app.approval();
  const popup = await app.electron?.browserWindow(page);
  await expect.poll(() => popup?.evaluate((window) => [window.isVisible(), window.isFocused()])).toEqual([true, false]);
  await expect(page.locator('main')).toContainText('sun_times');
  await expect(button(page, 'Approve')).toBeDisabled();
  const told = await app.electron?.evaluate((electron) => {
    const { __record } = electron as unknown as { __record: { badge: number; notifications: { title: string; body: string; actions?: unknown }[]; trays: { toolTip: string }[] } };
    const last = __record.notifications.at(-1);
    return { badge: __record.badge, toolTip: __record.trays[0]?.toolTip, body: last?.body, actions: last?.actions };
  });
  expect(told).toEqual({ badge: 1, toolTip: 'Bursar, play money: 1 payment waits for you', body: 'The server "demo" asks to be paid.', actions: undefined });
  await page.close();
  expect(textOf(await answer)).toContain('APPROVAL_REJECTED');
});
