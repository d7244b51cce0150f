import type { Page } from '@playwright/test';
import { httpAgent, type HttpAgent, type ToolAnswer } from '../support/http-agent.ts';
import { expect, test } from './app.ts';
import { requestFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

const SUN = { latitude: 52.52, longitude: 13.405, date: '2026-06-21' };

const approve = (page: Page) => page.getByRole('button', { name: /^Approve/ });
const reject = (page: Page) => page.getByRole('button', { name: /^Reject/ });
const textOf = (answer: ToolAnswer) => answer.result?.content[0]?.text ?? '';

/** A paid call on its way, and the approval surface that shows it. */
async function asked(app: RunningApp, tool = 'sun_times', args: object = SUN): Promise<{ agent: HttpAgent; answer: Promise<ToolAnswer>; page: Page }> {
  const agent = await httpAgent(app);
  const answer = agent.call(tool, args);
  const page = await app.attendedApproval();
  await expect(page.getByText(tool).first()).toBeVisible();
  return { agent, answer, page };
}

test('an approved payment does not reach the agent, or the page hides what was approved', async ({ app }) => {
  const { answer, page } = await asked(app);
  for (const text of ['0.01 USDC', 'Base Sepolia', 'demo', 'You have set no rule for this', 'of $1.00', 'of $10.00']) await expect(page.getByText(text, { exact: false }).first()).toBeVisible();
  await approve(page).click();
  expect(JSON.parse(textOf(await answer))).toMatchObject({ kind: 'normal', date: SUN.date });

  await expect.poll(async () => (await requestFrom(app.dashboard, 'payments.list', { limit: 1 })).payments[0]).toMatchObject({ status: 'delivered', tool: 'sun_times', columns: { money: 'settled' } });
  await app.dashboard.getByRole('link', { name: 'History' }).click();
  await expect(app.dashboard.getByText('sun_times').first()).toBeVisible();
});

test('the payee is shown shortened', async ({ app }) => {
  const { answer, page } = await asked(app, 'moon_phase', { date: '2026-01-01' });
  const { payments } = await requestFrom(app.dashboard, 'payments.list', { limit: 1 });
  const shown = (await page.locator('main').innerText()).replace(/\s/g, '');
  expect(shown).toContain(payments[0]!.payee);
  await reject(page).click();
  await answer;
});

test('Enter approves what the owner did not look at', async ({ app }) => {
  const { answer, page } = await asked(app);
  await expect(approve(page)).toBeEnabled();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  expect((await requestFrom(app.dashboard, 'approvals.waiting', {})).waiting).toHaveLength(1);
  await reject(page).click();
  expect(textOf(await answer)).toContain('APPROVAL_REJECTED');
});

test('two requests show as one, or the second with the terms of the first', async ({ app }) => {
  const first = await asked(app, 'sun_times', { ...SUN, date: '2026-03-01' });
  const secondAnswer = (await httpAgent(app)).call('moon_phase', { date: '2026-03-01' });
  await expect.poll(async () => (await requestFrom(app.dashboard, 'approvals.waiting', {})).waiting.length).toBe(2);
  await reject(first.page).click();
  await first.answer;
  const page = await app.attendedApproval();
  await expect(page.getByText('moon_phase').first()).toBeVisible();
  await reject(page).click();
  expect(textOf(await secondAnswer)).toContain('APPROVAL_REJECTED');
});

test('a limit set on the Budgets page does not hold, or its refusal does not name it', async ({ launch }) => {
  const app = await launch();
  const { dashboard } = app;
  await dashboard.getByRole('link', { name: 'Budgets' }).click();
  const perCall = dashboard.getByLabel(/per call/i).first();
  await perCall.fill('0.005');
  await dashboard.getByRole('button', { name: 'Save changes' }).click();
  await dashboard.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(async () => (await requestFrom(dashboard, 'policy.get', {})).policy.caps.find((cap) => cap.window === 'call')?.amount).toBe('0.005');
  const answer = await (await httpAgent(app)).call('sun_times', SUN);
  expect(textOf(answer)).toMatch(/above the limit of \$0\.005 \(per call\).*BUDGET_EXCEEDED/);
  await dashboard.getByRole('link', { name: 'History' }).click();
  await expect(dashboard.getByText('sun_times').first()).toBeVisible();
});

test('a server that dies in the middle leaves the agent or the owner without a reason', async ({ launch }) => {
  const app = await launch();
  await requestFrom(app.dashboard, 'upstreams.add', { name: 'gone', transport: { kind: 'stdio', command: process.execPath, args: ['-e', 'process.stdin.once("data", () => process.exit(3))'], env: {} } });
  const { greeting } = await httpAgent(app, 'gone');
  expect(greeting.error?.message).toMatch(/"gone".*\(UPSTREAM_(EXITED|UNREACHABLE)\)/);
});
