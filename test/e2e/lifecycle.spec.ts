import { expect, test } from './app.ts';
import { requestFrom } from './page-request.ts';

test('killed without warning, it starts again on the same folder with the same accounts and token', async ({ launch }) => {
  const first = await launch();
  const { accounts } = await requestFrom(first.dashboard, 'accounts.list', {});
  expect(accounts.length).toBeGreaterThan(0);
  await first.kill();
  const second = await launch(first.home);
  await expect(second.dashboard.getByRole('heading').first()).toBeVisible();
  expect((await requestFrom(second.dashboard, 'accounts.list', {})).accounts).toEqual(accounts);
  expect(second.token).toBe(first.token);
});
