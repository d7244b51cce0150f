import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { ApprovalView } from '../../src/shared/contract/approvals.ts';
import type { Envelope } from '../../src/shared/contract/contract.ts';
import type { RuleProposal } from '../../src/shared/contract/standing-rules.ts';
import { httpAgent, type ToolAnswer } from '../support/http-agent.ts';
import { expect, test } from './app.ts';
import { askFrom, requestFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

/** Costs 0.01 USDC on the local EVM network. */
const callPaidTool = async (app: RunningApp, date: string): Promise<ToolAnswer> => (await httpAgent(app)).call('sun_times', { latitude: 52.5, longitude: 13.4, date });
const textOf = ({ result }: ToolAnswer): string => result?.content.map(({ text }) => text).join('\n') ?? '';
const reject = (page: Page) => page.getByRole('button', { name: /^Reject/ }).click();
const policyOf = async ({ dashboard }: RunningApp) => requestFrom(dashboard, 'policy.get', {});
const waitingIn = ({ dashboard }: RunningApp) => requestFrom(dashboard, 'approvals.waiting', {});

/** Puts back what a test saved, so that the next one is asked again. */
async function restore(app: RunningApp, { policy }: Awaited<ReturnType<typeof policyOf>>): Promise<void> {
  await requestFrom(app.dashboard, 'policy.set', { basedOn: (await policyOf(app)).number, policy });
}

test('a tool that is allowed beside a request asks again, or is paid beyond its amount, or another call of another tool is', async ({ app }) => {
  const before = await policyOf(app);
  const first = callPaidTool(app, '2026-01-01');
  const page = await app.attendedApproval();
  await page.getByRole('button', { name: /^Allow this tool every day/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Up to, each day, in USDC').fill('0.02');
  await page.keyboard.press('Enter');
  const save = dialog.getByRole('button', { name: /^Save and approve/ });
  await expect(dialog).toContainText('0.02 USDC a day for this tool in all');
  await expect(save).toBeEnabled();
  await save.click();
  expect((await first).result?.isError ?? false).toBe(false);
  const { policy } = await policyOf(app);
  expect(policy.rules).toHaveLength(before.policy.rules.length + 1);
  expect(policy.caps).toHaveLength(before.policy.caps.length + 1);

  const second = await callPaidTool(app, '2026-01-02');
  expect(second.result?.isError ?? false).toBe(false);
  expect(textOf(await callPaidTool(app, '2026-01-03'))).toContain('BUDGET_EXCEEDED');
  const other = (await httpAgent(app)).call('moon_phase', { date: '2026-01-01' });
  await expect.poll(async () => (await waitingIn(app)).waiting.map(({ tool }) => tool)).toEqual(['moon_phase']);
  await reject(await app.attendedApproval());
  expect(textOf(await other)).toContain('APPROVAL_REJECTED');
  await restore(app, before);
});

test('a server that is blocked beside a request is paid by what waits or comes after it', async ({ app }) => {
  const before = await policyOf(app);
  const first = callPaidTool(app, '2026-02-01');
  const page = await app.attendedApproval();
  await page.getByRole('button', { name: /^Block this server/ }).click();
  const block = page.getByRole('dialog').getByRole('button', { name: 'Block this server' });
  await expect(block).toBeEnabled();
  await block.click();
  expect(textOf(await first)).toContain('POLICY_DENIED');
  expect(textOf(await callPaidTool(app, '2026-02-02'))).toContain('POLICY_DENIED');
  expect((await policyOf(app)).policy.rules[0]).toMatchObject({ when: { upstream: 'demo' }, verdict: 'deny' });
  await restore(app, before);
});

test('I7: a script in the page saves a rule at once, for terms that are not on screen, or the dashboard saves one', async ({ app }) => {
  const before = await policyOf(app);
  const call = callPaidTool(app, '2026-03-01');
  const page = await app.attendedApproval();
  await expect(page.getByRole('button', { name: /^Approve/ })).toBeEnabled();
  const current = (await askFrom(page, 'approvals.current', {}, 'approval')) as Envelope<{ approval: ApprovalView }>;
  if (!current.ok) throw new Error(current.error.message);
  const { paymentId, termsDigest, nonce } = current.value.approval;
  const act = { kind: 'block-server' };
  const codeOf = (reply: unknown): string => {
    const { ok, error } = reply as Envelope<unknown> & { error?: { code: string } };
    return ok ? 'ok' : (error?.code ?? String(reply));
  };
  expect(codeOf(await askFrom(page, 'approvals.proposeRule', { paymentId, termsDigest: 'f'.repeat(64), nonce, act }, 'approval'))).toBe('APPROVAL_STALE');
  const proposed = (await askFrom(page, 'approvals.proposeRule', { paymentId, termsDigest, nonce, act }, 'approval')) as Envelope<RuleProposal>;
  if (!proposed.ok) throw new Error(proposed.error.message);
  const saving = { paymentId, termsDigest, nonce, proposal: proposed.value.id, kind: 'block-server' };
  // In a browser every such script has a connection of its own, and the proposal is another's; in the popup its second is not over.
  expect(codeOf(await askFrom(page, 'approvals.saveRule', saving, 'approval'))).toMatch(/APPROVAL_(TOO_EARLY|STALE)/);
  const fromDashboard = await askFrom(app.dashboard, 'approvals.saveRule', saving);
  expect(typeof fromDashboard === 'string' ? fromDashboard : codeOf(fromDashboard)).toMatch(/refused by the preload|FORBIDDEN/);
  expect((await policyOf(app)).number).toBe(before.number);
  await reject(page);
  await call;
});

test('the Approvals page hides what the popup shows, or its link leads to another request than the one clicked', async ({ app }) => {
  const first = callPaidTool(app, '2026-04-01');
  await expect.poll(async () => (await waitingIn(app)).waiting.length).toBe(1);
  const second = callPaidTool(app, '2026-04-02');
  await expect.poll(async () => (await waitingIn(app)).waiting.length).toBe(2);
  const { waiting } = await waitingIn(app);
  const { dashboard } = app;
  await dashboard.bringToFront();
  await dashboard.getByRole('link', { name: /^Approvals/ }).first().click();
  const full = await requestFrom(dashboard, 'approvals.inFull', {});
  const [shown] = full.waiting;
  await expect(dashboard.getByText('You have set no rule for this').first()).toBeVisible();
  const words = (await dashboard.locator('main').innerText()).replaceAll(/\s/g, '');
  for (const part of [shown?.payee ?? '?', shown?.payer ?? '?', '≈$0.01']) expect(words).toContain(part);
  expect(JSON.stringify(full)).not.toMatch(/termsDigest|nonce/);
  const { violations } = await new AxeBuilder({ page: dashboard }).analyze();
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)).toEqual([]);

  const chosen = waiting[1]?.paymentId;
  const link = dashboard.locator(`a[href="/approve#request=${chosen}"]`);
  await expect(link).toHaveCount(1);
  if (app.electron === undefined) {
    const [tab] = await Promise.all([dashboard.context().waitForEvent('page'), link.click()]);
    await expect(tab.locator('article.terms')).toBeVisible();
    await tab.getByText('Arguments of the call').click();
    await expect(tab.locator('article.terms')).toContainText('2026-04-02');
    await tab.close();
  } else {
    await link.click();
    const popup = await app.approval();
    await popup.getByText('Arguments of the call').click();
    await expect(popup.locator('article.terms')).toContainText('2026-04-02');
  }
  for (const { paymentId } of waiting) await requestFrom(dashboard, 'payments.withdraw', { paymentId });
  await Promise.all([first, second]);
});
