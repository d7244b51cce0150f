import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { usdcBalance, type SandboxReady } from '../support/chain-balance.ts';
import { expect, test } from './app.ts';
import { requestFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

const readyOf = ({ home }: RunningApp): SandboxReady => JSON.parse(readFileSync(join(home, 'sandbox', 'ready.json'), 'utf8')) as SandboxReady;
const steps = (page: Page) => page.getByRole('region', { name: 'First steps' });
const step = (page: Page, name: string) => steps(page).getByRole('button', { name });

/** What the sandbox's seller holds, on both chains together. */
async function sold(ready: SandboxReady): Promise<bigint> {
  const { evm, solana, seller } = ready;
  const [first, second] = await Promise.all([usdcBalance(ready, evm.network, seller.payTo.evm), usdcBalance(ready, solana.network, seller.payTo.solana)]);
  return first + second;
}

test('the first paid call moves no money, is not asked about, or shows another transaction than the chain’s', async ({ launch }) => {
  const app = await launch();
  const { dashboard } = app;
  const ready = readyOf(app);
  const before = await sold(ready);
  await expect(steps(dashboard).getByText('1,000.00 USDC').first()).toBeVisible();
  await step(dashboard, 'Go on').click();
  await step(dashboard, 'Buy it').click();
  await expect(steps(dashboard).getByText('The payment waits for you.', { exact: false })).toBeVisible();
  expect(await sold(ready)).toBe(before);

  const approval = await app.attendedApproval();
  await approval.getByRole('button', { name: /^Approve/ }).click();
  await dashboard.bringToFront();
  await expect(steps(dashboard).getByText('sunrise', { exact: false })).toBeVisible();
  await expect(steps(dashboard).getByText('0.01 USDC')).toBeVisible();
  await expect.poll(() => sold(ready)).toBe(before + 10_000n);
  await expect.poll(async () => (await requestFrom(dashboard, 'payments.list', { limit: 1 })).payments[0]).toMatchObject({ status: 'delivered', columns: { money: 'settled' } });
  const { transaction } = (await requestFrom(dashboard, 'payments.list', { limit: 1 })).payments[0]!;
  await expect(steps(dashboard).getByText(transaction)).toBeVisible();
  await expect(steps(dashboard).getByText('2 of 3')).toBeVisible();
});

test('a rejected first call is paid, or the way to try it again is gone', async ({ launch }) => {
  const app = await launch();
  const { dashboard } = app;
  const ready = readyOf(app);
  const before = await sold(ready);
  await step(dashboard, 'Go on').click();
  await step(dashboard, 'Buy it').click();
  const approval = await app.attendedApproval();
  await approval.getByRole('button', { name: /^Reject/ }).click();
  await dashboard.bringToFront();
  await expect(steps(dashboard).getByText('You rejected it. Nothing was paid.')).toBeVisible();
  await expect(step(dashboard, 'Buy it')).toBeEnabled();
  expect(await sold(ready)).toBe(before);
});

test('the first steps need a mouse, lose the focus, come back after they were skipped, or are gone for good', async ({ launch }) => {
  // Two starts.
  test.slow();
  const app = await launch();
  const { dashboard } = app;
  await step(dashboard, 'Go on').focus();
  await dashboard.keyboard.press('Enter');
  await expect(step(dashboard, 'Make a paid call')).toBeFocused();
  await expect(step(dashboard, 'Make a paid call')).toHaveAttribute('aria-expanded', 'true');
  await step(dashboard, 'Skip the first steps').focus();
  await dashboard.keyboard.press('Enter');
  await expect(steps(dashboard)).toHaveCount(0);
  const { home } = app;
  await app.close();

  const again = await launch(home);
  await expect(again.dashboard.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(again.dashboard.getByText('Latest payments')).toBeVisible();
  expect(await requestFrom(again.dashboard, 'onboarding.get', {})).toMatchObject({ closed: true, passed: ['money'] });
  await expect(steps(again.dashboard)).toHaveCount(0);
  await again.dashboard.getByRole('link', { name: 'Settings' }).click();
  await again.dashboard.getByRole('link', { name: 'Show them again' }).click();
  const page = again.dashboard.getByRole('main');
  await expect(page.getByRole('button', { name: 'Make a paid call' })).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(1);
});
