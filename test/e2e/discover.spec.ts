import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from './app.ts';
import { requestFrom } from './page-request.ts';

test('an endpoint that is approved on the page is not what was shown, is no tool of the agents, or cannot be taken back', async ({ app }) => {
  const { dashboard } = app;
  await dashboard.getByRole('link', { name: 'Discover' }).click();
  await dashboard.getByLabel('What should it do?').fill('phase of the moon');
  await dashboard.keyboard.press('Enter');
  const { listings } = await requestFrom(dashboard, 'discovery.search', { query: 'phase of the moon' });
  const { url, prices } = listings[0]!;
  await dashboard.getByRole('button', { name: `Approve ${url}` }).click();

  const dialog = dashboard.getByRole('dialog');
  await expect(dialog.getByText(url)).toBeVisible();
  await expect(dialog.getByText('GET', { exact: true })).toBeVisible();
  const shown = (await dialog.innerText()).replace(/\s/g, '');
  for (const { payee, networkName } of prices) expect(shown).toContain(`0.01USDCon${networkName.replace(/\s/g, '')}Payee${payee}`);
  await dialog.getByLabel('Group of clients').fill('No Such Name');
  await expect(dialog.getByRole('button', { name: 'Approve', exact: true })).toBeDisabled();
  await dialog.getByLabel('Group of clients').fill('default');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(dashboard.getByText('Approved. Agents call it moon_phase.')).toBeVisible();

  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(app.mcp), { requestInit: { headers: { authorization: `Bearer ${app.token}` } } }));
  const names = async () => (await agent.listTools({}, { cacheMode: 'refresh' } as object)).tools.map(({ name }) => name);
  try {
    expect(await names()).toContain('moon_phase');
    await dashboard.getByRole('button', { name: 'Remove moon_phase' }).click();
    await dashboard.getByRole('dialog').getByRole('button', { name: 'When sessions end' }).click();
    await expect(dashboard.getByText('Running sessions keep it until they end.', { exact: false })).toBeVisible();
    expect(await names()).toContain('moon_phase');
    await dashboard.getByRole('button', { name: 'Remove moon_phase' }).click();
    await dashboard.getByRole('dialog').getByRole('button', { name: 'Now', exact: true }).click();
    await expect(dashboard.getByText('No endpoint is approved.')).toBeVisible();
    expect(await names()).not.toContain('moon_phase');
  } finally {
    await agent.close();
  }
});
