// npm run screenshots: the pages in the README, as they look after a few payments on play money.
import { rmSync } from 'node:fs';
import { startApp } from '../support/app-process.ts';
import { httpAgent } from '../support/http-agent.ts';
import { openOwnerBrowser } from '../support/owner-browser.ts';

const folder = new URL('../../docs/screenshots/', import.meta.url).pathname;

const app = await startApp();
const owner = await openOwnerBrowser(app.dashboard);
try {
  const agent = await httpAgent(app);
  const decide = async (button: 'Approve' | 'Reject', tool: string, args: object) => Promise.all([agent.call(tool, args), owner.decide(button)]);
  await decide('Approve', 'sun_times', { latitude: 52.52, longitude: 13.405, date: '2026-06-21' });
  await decide('Reject', 'sky_report', { latitude: 52.52, longitude: 13.405, date: '2026-06-21' });
  await decide('Approve', 'moon_phase', { date: '2026-06-21' });

  const waiting = agent.call('sun_times', { latitude: 48.2, longitude: 16.37, date: '2026-12-21' });
  await owner.approval.setViewportSize({ width: 460, height: 860 });
  await owner.approval.bringToFront();
  await owner.approval.reload();
  await owner.approval.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
  await owner.approval.screenshot({ path: `${folder}approval.png` });
  await owner.dashboard.setViewportSize({ width: 1280, height: 860 });
  await owner.dashboard.bringToFront();
  for (const page of ['Overview', 'History', 'Budgets']) {
    await owner.dashboard.getByRole('link', { name: new RegExp(`^${page}`) }).first().click();
    await owner.dashboard.getByRole('heading', { name: page }).first().waitFor();
    await owner.dashboard.waitForLoadState('networkidle');
    await owner.dashboard.screenshot({ path: `${folder}${page.toLowerCase()}.png` });
  }
  await owner.decide('Reject');
  await waiting;
} finally {
  await owner.close();
  await app.stop();
  rmSync(app.home, { recursive: true, force: true });
}
