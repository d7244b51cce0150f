import type { CDPSession, Page } from '@playwright/test';
import type { ApprovalView } from '../../src/shared/contract/approvals.ts';
import { httpAgent, type ToolAnswer } from '../support/http-agent.ts';
import { openTerminal } from '../support/terminal.ts';
import { expect, test } from './app.ts';
import { askFrom, requestFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

const PASSPHRASE = 'correct horse battery';

/** Costs 0.01 USDC. */
const callPaidTool = async (app: RunningApp): Promise<ToolAnswer> => (await httpAgent(app)).call('sun_times', { latitude: 52.5, longitude: 13.4, date: '2026-06-21' });
const isPaid = ({ result }: ToolAnswer): boolean => result !== undefined && result.isError !== true;
const button = (page: Page, name: RegExp) => page.getByRole('button', { name });
const step = (page: Page) => page.getByRole('region', { name: 'Prove that you are there' });

interface Authenticator {
  readonly session: CDPSession;
  readonly id: string;
  setVerified(verified: boolean): Promise<void>;
}

/** One authenticator, taken from page to page. */
async function movePasskeys(from: Authenticator, to: Authenticator): Promise<void> {
  const { credentials } = await from.session.send('WebAuthn.getCredentials', { authenticatorId: from.id });
  await to.session.send('WebAuthn.clearCredentials', { authenticatorId: to.id });
  for (const credential of credentials) await to.session.send('WebAuthn.addCredential', { authenticatorId: to.id, credential });
}

/** Chromium's own authenticator in place of a finger on a sensor; each page has its own. */
async function authenticator(page: Page): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return { session, id, setVerified: async (isUserVerified) => void (await session.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified })) };
}

/** Headless, a first passphrase wants a terminal: it is set between two runs. */
async function withPassphrase(launch: (home?: string) => Promise<RunningApp>): Promise<RunningApp> {
  const { home, close } = await launch();
  await close();
  const terminal = openTerminal(['--home', home, '--network', 'sandbox', 'passphrase', 'set']);
  await terminal.saw('New passphrase');
  terminal.type(`${PASSPHRASE}\r`);
  await terminal.saw('The same again');
  terminal.type(`${PASSPHRASE}\r`);
  await terminal.saw('The passphrase is set');
  expect(await terminal.exited).toBe(0);
  return launch(home);
}

async function setAmount(page: Page, amount: string): Promise<void> {
  const card = page.getByRole('region', { name: 'Proof that you are there' });
  await button(page, /^Change$/).and(card.getByRole('button')).click();
  const dialog = page.getByRole('dialog', { name: 'When to ask for proof' });
  await dialog.getByLabel('Ask for proof').selectOption('above');
  await dialog.getByLabel('Amount').fill(amount);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(card).toContainText(`above $${amount}`);
}

/** What a script in the approval page gets for the waiting payment with an assertion of its own making, or one that it has seen: begin, prove, decide. */
const tryByScript = (page: Page, assertion?: unknown): Promise<readonly string[]> =>
  page.evaluate(async (given) => {
    const socket = new WebSocket(`ws://${location.host}/ws/approval`, ['bursar', `key.${localStorage.getItem('bursar-page-key') ?? ''}`]);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    let next = 0;
    const ask = (route: string, input: unknown): Promise<{ ok: boolean; value?: unknown; error?: { code: string } }> =>
      new Promise((resolve) => {
        const id = next++;
        socket.addEventListener('message', ({ data }) => {
          const frame = JSON.parse(String(data)) as { id?: number; reply?: { ok: boolean } };
          if (frame.id === id && frame.reply) resolve(frame.reply);
        });
        socket.send(JSON.stringify({ id, route, input }));
      });
    const { approval } = (await ask('approvals.current', {})).value as { approval: { paymentId: string; termsDigest: string; nonce: string } };
    const input = { paymentId: approval.paymentId, termsDigest: approval.termsDigest, nonce: approval.nonce, decision: 'approve' };
    const asked = (await ask('presence.begin', { route: 'approvals.decide', input })).value as { challenge: string; passkey: { allowCredentials: { id: string }[] } };
    const bytes = (text: string) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const text = (buffer: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const make = async () => {
      const made = (await navigator.credentials.get({
        publicKey: { challenge: bytes(asked.challenge), rpId: 'localhost', userVerification: 'discouraged', allowCredentials: asked.passkey.allowCredentials.map(({ id }) => ({ type: 'public-key', id: bytes(id) })) },
      })) as PublicKeyCredential;
      const response = made.response as AuthenticatorAssertionResponse;
      return { id: made.id, rawId: made.id, type: 'public-key', response: { clientDataJSON: text(response.clientDataJSON), authenticatorData: text(response.authenticatorData), signature: text(response.signature) } };
    };
    const proved = await ask('presence.prove', { challenge: asked.challenge, kind: 'passkey', assertion: given ?? (await make()) });
    const decided = await ask('approvals.decide', input);
    socket.close();
    return [proved, decided].map(({ ok, error }) => (ok ? 'ok' : (error?.code ?? '')));
  }, assertion);

test('I7: above the amount a payment is approved without the passkey, by one that verified nobody, or by one signature twice; or below it one is asked for', async ({ launch, host }) => {
  test.skip(host !== 'headless' || process.platform !== 'linux', 'passkeys are for the page in a browser; the terminal of the test is that of Linux');
  test.setTimeout(120_000);
  const app = await withPassphrase(launch);
  const { dashboard } = app;
  // A browser makes a passkey for the tab alone that is in front.
  await dashboard.bringToFront();
  const finger = await authenticator(dashboard);
  await dashboard.goto(new URL('/#/settings', dashboard.url()).href);
  await setAmount(dashboard, '0.005');
  await button(dashboard, /^Add a passkey$/).click();
  const adding = dashboard.getByRole('dialog', { name: 'Add a passkey' });
  await adding.getByLabel('Passphrase').fill(PASSPHRASE);
  await adding.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(button(dashboard, /^Remove the passkey This computer$/)).toBeVisible();

  const page = await app.attendedApproval();
  const hand = await authenticator(page);
  await movePasskeys(finger, hand);
  const seen: unknown[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const { route, input } = JSON.parse(String(payload)) as { route?: string; input?: { assertion?: unknown } };
      if (route === 'presence.prove') seen.push(input?.assertion);
    }),
  );
  await page.reload();

  const paid = callPaidTool(app);
  await app.attendedApproval();
  await expect(button(page, /^Approve/)).toBeEnabled();
  await button(page, /^Approve/).click();
  expect(isPaid(await paid)).toBe(true);
  expect(seen).toHaveLength(1);

  const waits = callPaidTool(app);
  await app.attendedApproval();
  await expect(button(page, /^Approve/)).toBeEnabled();
  expect(await tryByScript(page, seen[0])).toEqual(['PRESENCE_FAILED', 'PRESENCE_REQUIRED']);
  await hand.setVerified(false);
  expect(await tryByScript(page)).toEqual(['PRESENCE_FAILED', 'PRESENCE_REQUIRED']);
  await app.attendedApproval();
  await expect(button(page, /^Approve/)).toBeEnabled();
  await button(page, /^Approve/).click();
  await expect(step(page)).toContainText('It was not confirmed');
  // Back at the request: nothing is lost, and nothing was decided.
  await step(page).getByRole('button', { name: 'Back' }).click();
  await expect(step(page)).toBeHidden();
  await expect(button(page, /^Approve/)).toBeEnabled();
  await hand.setVerified(true);
  await button(page, /^Approve/).click();
  expect(isPaid(await waits)).toBe(true);

  await dashboard.bringToFront();
  // With its counter as it stands there: an older one would be a copy's, and refused.
  await movePasskeys(hand, finger);
  await setAmount(dashboard, '0.01');
  expect(await requestFrom(dashboard, 'presence.get', {})).toMatchObject({ above: '0.01' });
  const small = callPaidTool(app);
  await app.attendedApproval();
  await expect(button(page, /^Approve/)).toBeEnabled();
  const proofs = seen.length;
  await button(page, /^Approve/).click();
  expect(isPaid(await small)).toBe(true);
  expect(seen).toHaveLength(proofs);
});

test('I7: in Electron’s windows a payment above the amount is approved without Touch ID or the passphrase', async ({ launch, host }) => {
  test.skip(host !== 'double', 'only the double has a finger that a test can move');
  test.setTimeout(120_000);
  const app = await launch();
  const touchId = (change: { available?: boolean; finger?: string }): Promise<readonly string[] | undefined> =>
    app.electron!.evaluate((electron, given) => {
      const { __record } = electron as unknown as { __record: { touchId: { prompts: string[] } } };
      return Object.assign(__record.touchId, given).prompts;
    }, change);
  await requestFrom(app.dashboard, 'owner.setPassphrase', { passphrase: PASSPHRASE });
  expect(await requestFrom(app.dashboard, 'presence.set', { above: '0.005' })).toMatchObject({ methods: ['passphrase'], canAddPasskey: false });
  await touchId({ available: true, finger: 'wrong' });

  const first = callPaidTool(app);
  const page = await app.attendedApproval();
  await expect(button(page, /^Approve/)).toBeEnabled();
  await button(page, /^Approve/).click();
  await expect(step(page)).toContainText('Touch ID was not confirmed.');
  expect(await touchId({ finger: 'right' })).toEqual(['approve 0.01 USDC to demo']);
  await step(page).getByRole('button', { name: 'Use Touch ID' }).click();
  expect(isPaid(await first)).toBe(true);

  await touchId({ finger: 'wrong' });
  const second = callPaidTool(app);
  const popup = await app.attendedApproval();
  await expect(button(popup, /^Approve/)).toBeEnabled();
  await button(popup, /^Approve/).click();
  await step(popup).getByRole('button', { name: 'Use the passphrase instead' }).click();
  await step(popup).getByLabel('Passphrase').fill('not the passphrase');
  await popup.keyboard.press('Enter');
  await expect(step(popup)).toContainText('That is not the passphrase.');
  const waiting = (await askFrom(popup, 'approvals.current', {}, 'approval')) as { value: { approval: ApprovalView } };
  const { paymentId, termsDigest, nonce } = waiting.value.approval;
  expect(await askFrom(popup, 'approvals.decide', { paymentId, termsDigest, nonce, decision: 'approve' }, 'approval')).toMatchObject({ error: { code: 'PRESENCE_REQUIRED' } });
  await step(popup).getByLabel('Passphrase').fill(PASSPHRASE);
  await popup.keyboard.press('Enter');
  expect(isPaid(await second)).toBe(true);
});
