import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from './app.ts';
import { askFrom, requestFrom } from './page-request.ts';

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('the theme of the settings and that of the header differ, or a choice is gone with the page', async ({ app: { dashboard } }) => {
  await dashboard.getByRole('link', { name: 'Settings' }).click();
  const theme = () => dashboard.evaluate(() => document.documentElement.dataset['theme']);
  await dashboard.getByRole('radio', { name: 'Dark' }).check();
  expect(await theme()).toBe('dark');
  await expect(dashboard.getByRole('button', { name: 'Theme: dark' })).toBeVisible();
  await dashboard.reload();
  await expect(dashboard.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await dashboard.getByRole('button', { name: 'Theme: dark' }).click();
  await dashboard.getByRole('menuitemradio', { name: 'System' }).click();
  await expect(dashboard.getByRole('radio', { name: 'As the system' })).toBeChecked();
  expect(await theme()).toBeUndefined();
});

test('another time zone loses limits or rules, or holds for the page alone', async ({ app: { dashboard } }) => {
  const before = await requestFrom(dashboard, 'policy.get', {});
  await dashboard.getByRole('link', { name: 'Settings' }).click();
  await dashboard.getByLabel('Time zone').selectOption('Europe/Paris');
  await dashboard.getByRole('button', { name: 'Save' }).click();
  await expect(dashboard.getByText('Days begin at midnight in Europe/Paris.')).toBeVisible();
  const after = await requestFrom(dashboard, 'policy.get', {});
  expect(after.policy).toEqual({ ...before.policy, timeZone: 'Europe/Paris' });
  expect(after.number).toBe(before.number + 1);
});

test('starting over leaves something of the play money, runs on, or happens without the word', async ({ launch }) => {
  // Two starts.
  test.slow();
  const app = await launch();
  const { dashboard, home, pid } = app;
  const { accounts } = await requestFrom(dashboard, 'accounts.list', {});
  const refused = await askFrom(dashboard, 'settings.reset', { word: 'yes' });
  expect(refused).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID' } });
  await dashboard.getByRole('link', { name: 'Settings' }).click();
  await dashboard.getByRole('button', { name: 'Start over…' }).click();
  const dialog = dashboard.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete it' }).click();
  await expect(dialog.getByText('Type the word “delete”.')).toBeVisible();
  await dialog.getByLabel('Type “delete”').fill('delete');
  await dialog.getByRole('button', { name: 'Delete it' }).click();
  await expect(dialog.getByText('The play money is deleted.', { exact: false })).toBeVisible();
  await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  expect(existsSync(home) ? readdirSync(home).filter((name) => name !== 'electron') : []).toEqual([]);
  await app.close().catch(() => undefined);

  const fresh = await launch(home);
  const { accounts: made } = await requestFrom(fresh.dashboard, 'accounts.list', {});
  const chains = (list: typeof accounts) => list.filter(({ namespace }) => namespace === 'eip155' || namespace === 'solana').map(({ address }) => address);
  expect(chains(made)).toHaveLength(chains(accounts).length);
  for (const address of chains(accounts)) expect(chains(made)).not.toContain(address);
});

test('the page can open a folder that the host does not have, or says of a browser that it can', async ({ app: { dashboard, host } }) => {
  const { folder } = await requestFrom(dashboard, 'settings.get', {});
  expect(folder.opens).toBe(host !== 'headless');
  if (host === 'headless') expect(await askFrom(dashboard, 'settings.openFolder', {})).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
});
