import { openLink } from '../client/open-link.ts';
import { whenActive } from '../client/when-active.ts';
import { showTheme, storedTheme } from '../ui/theme.ts';
import { openDesk, type Desk } from './desk.ts';
import { buildPage, type Page } from './page.ts';
import { openStanding, type Standing } from './standing.ts';
import { buildStandingDialog, type StandingDialog } from './standing-dialog.ts';

const TICK = 500;
/** How often an expired request is looked at again, should main's clock be behind the page's. */
const EXPIRED_TICKS = 4;

/** Which request the dashboard's link leads to. */
const CHOSEN = /^#request=(pay_[0-9a-f]{1,60})$/;

const link = openLink('approval');
let page: Page | undefined;
let dialog: StandingDialog | undefined;
let standing: Standing | undefined;
const desk: Desk = openDesk({
  link,
  isAttended: () => document.visibilityState === 'visible' && document.hasFocus(),
  chosen: () => CHOSEN.exec(window.location.hash)?.[1],
  onChange(state) {
    page?.show(state);
    standing?.follow(state);
  },
});
standing = openStanding({ link, desk, onChange: (state) => dialog?.show(state) });
showTheme(storedTheme());
page = buildPage(document.body, desk, standing.begin);
dialog = buildStandingDialog(document.body, standing, desk);
page.show(desk.state());

for (const type of ['focus', 'blur'] as const) window.addEventListener(type, () => void desk.attend());
document.addEventListener('visibilitychange', () => void desk.attend());
// Without an owner session it is refused, and the keys lock in their time.
whenActive(window, () => void link.request('approvals.active', {}));
window.addEventListener('hashchange', () => void desk.refresh());

let ticks = 0;
setInterval(() => {
  const now = Date.now();
  page.tick(now);
  // hasFocus() can change without an event when a frame or a developer tool takes the focus.
  void desk.attend();
  const { approval } = desk.state();
  if (approval && now >= approval.expiresAt && ticks++ % EXPIRED_TICKS === 0) void desk.refresh();
}, TICK);

async function showEnvironment(): Promise<void> {
  const status = await link.request('app.status', {});
  // Only the badge hangs on it; every other request shows the same failure in words.
  if (status.ok) page?.showEnvironment(status.value.environment);
}

void showEnvironment();
void desk.refresh();
