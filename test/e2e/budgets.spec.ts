import { httpAgent } from '../support/http-agent.ts';
import { expect, test } from './app.ts';
import { requestFrom } from './page-request.ts';

const MOON = { date: '2026-06-21' };

test.beforeEach(({ host }) => test.skip(host === 'double', 'nothing here is a matter of windows: a browser shows it'));

test('a rule that was written in a sentence does not let its payment through, or one that is put back still does', async ({ launch }) => {
  const app = await launch();
  const { dashboard } = app;
  const agent = await httpAgent(app);
  await dashboard.getByRole('link', { name: 'Budgets' }).click();
  await dashboard.getByRole('tab', { name: 'All limits and rules' }).click();
  await dashboard.getByLabel('On the server').selectOption('demo');
  await dashboard.getByLabel('up to, each (US dollars)').fill('0.10');
  await dashboard.getByLabel('and at most, a day (US dollars)').fill('2');
  await dashboard.getByRole('button', { name: 'Add this rule' }).click();
  await dashboard.getByRole('button', { name: 'Save changes' }).click();
  const dialog = dashboard.getByRole('dialog');
  await expect(dialog.getByText('New or changed: Rule: allow server demo, amount up to 0.10 USD.')).toBeVisible();
  expect((await requestFrom(dashboard, 'policy.get', {})).number).toBe(1);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dashboard.getByText('Version 2,')).toBeVisible();
  expect(JSON.stringify(await agent.call('moon_phase', MOON))).not.toMatch(/payment_pending|APPROVAL|DENIED/);

  // What it would have done to that payment is shown before the next change is saved.
  await dashboard.getByRole('button', { name: 'Remove rule 1' }).click();
  await dashboard.getByLabel('If no rule fits').selectOption('deny');
  await dashboard.getByRole('button', { name: 'Save changes' }).click();
  await expect(dialog.getByText('It lets nothing through that is held back now.')).toBeVisible();
  await expect(dialog.getByText('allowed → denied')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dashboard.getByText('Version 3,')).toBeVisible();
  expect(JSON.stringify(await agent.call('moon_phase', { date: '2026-06-22' }))).toContain('POLICY_DENIED');

  await dashboard.getByRole('tab', { name: 'Earlier versions' }).click();
  await dashboard.getByRole('button', { name: 'Put back version 2' }).click();
  await dashboard.getByRole('button', { name: 'Save changes' }).click();
  await expect(dialog.getByText(/A payment that no rule decides is asked about/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dashboard.getByText('Version 4,')).toBeVisible();
  const versions = (await requestFrom(dashboard, 'policy.versions', {})).versions.map(({ number }) => number);
  expect(versions).toEqual([4, 3, 2, 1]);
  expect((await requestFrom(dashboard, 'policy.version', { number: 4 })).policy).toEqual((await requestFrom(dashboard, 'policy.version', { number: 2 })).policy);
});

test('JSON that is malformed, or of a token that nobody knows, is put in force', async ({ launch }) => {
  const app = await launch();
  const { dashboard } = app;
  await dashboard.getByRole('link', { name: 'Budgets' }).click();
  await dashboard.getByRole('tab', { name: 'JSON' }).click();
  const field = dashboard.getByLabel('The policy as JSON');
  const policy = JSON.parse(await field.inputValue()) as object;
  await field.fill('{');
  await expect(dashboard.getByText('This is not JSON')).toBeVisible();
  await field.fill(JSON.stringify({ ...policy, otherwise: 'maybe' }));
  await expect(dashboard.getByText('otherwise', { exact: true })).toBeVisible();
  await dashboard.getByRole('button', { name: 'Save changes' }).click();
  await expect(dashboard.getByText('Correct the marked fields first.')).toBeVisible();
  await field.fill(JSON.stringify({ ...policy, caps: [{ over: {}, window: 'day', unit: `eip155:1/erc20:0x${'0'.repeat(40)}`, amount: '1' }] }));
  await expect(dashboard.getByText(/not in the token registry/)).toBeVisible();
  await dashboard.getByRole('button', { name: 'Save changes' }).click();
  await expect(dashboard.getByRole('dialog').getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  expect((await requestFrom(dashboard, 'policy.get', {})).number).toBe(1);
});
