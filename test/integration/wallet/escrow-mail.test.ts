import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { sendMail, testMail } from '../../../src/main/adapters/mail/mailer.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readClaimLink } from '../../../src/shared/escrow/claim-link.ts';
import { createOwner, PAGE_URL, startEscrowWorld, type EscrowWorld } from '../../support/escrow-world.ts';
import { claimLinkIn, startMailCatcher, unfolded, type MailCatcher } from '../../support/mail-catcher.ts';
import { evmAccount, random } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal } from '../rails/shop.ts';

/** Claim links by mail, through a real SMTP server. */

let sandbox: Sandbox;
let chains: Chains;
let folder: string;
let world: EscrowWorld;
let payer: string;
let server: MailCatcher | undefined;

beforeAll(async () => {
  sandbox = await startSandbox();
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bursar-escrow-mail-'));
  const owner = await createOwner();
  payer = owner.accounts[0]?.address ?? '';
  await sandbox.fund({ network: EVM_NETWORK, address: payer, usdc: 5_000_000n, gas: true });
  world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner, chains, facilitators: [sandbox.facilitatorUrl], clock });
});
afterEach(async () => {
  world.stop();
  await stopServer();
  rmSync(folder, { recursive: true, force: true });
});

async function stopServer(): Promise<void> {
  const stopping = server;
  server = undefined;
  await stopping?.close();
}

async function startServer(options: SMTPServerOptions = {}): Promise<number> {
  server = await startMailCatcher(options);
  return server.port;
}
const caught = () => server?.caught ?? [];

const settingsOf = (port: number) => ({ host: '127.0.0.1', port, secure: false, plain: true, user: '', password: '', from: 'owner@example.org' });
const useServer = (port: number, change: object = {}) => world.mail.set({ ...settingsOf(port), ...change });

async function sent() {
  const outcome = await world.send({ memo: 'Lunch\r\nBcc: eve@example.org', network: EVM_NETWORK });
  if (outcome.kind !== 'sent') throw new Error('not sent');
  return outcome.escrow;
}

describe('the mail with a claim link', () => {
  test('does not come, goes to somebody else, or its link does not claim', async () => {
    await useServer(await startServer());
    const escrow = await sent();
    expect(escrow).toMatchObject({ state: 'notified', delivery: 'sent', deliveryError: '' });
    expect(caught()).toMatchObject([{ from: 'owner@example.org', to: ['ada@example.org'] }]);
    const mail = unfolded(caught()[0]!);
    const link = claimLinkIn(caught()[0]!);
    expect(link.startsWith(PAGE_URL)).toBe(true);
    expect(mail).toContain('Subject: You were sent 1.50 USDC');
    expect(mail.slice(0, mail.indexOf('\r\n\r\n'))).not.toMatch(/Bcc|eve/);
    expect(mail).not.toMatch(/^Bcc:/m);
    expect(mail).not.toMatch(/<img|src=|url\(/);
    expect(readClaimLink(link).memo).toContain('Lunch');
    const { address: recipient } = evmAccount(random(32));
    await world.claim(link, recipient, signal);
    expect(await sandbox.balance(EVM_NETWORK, recipient)).toBe(1_500_000n);
  });

  test('that the server refuses loses the money, or is said to be sent', async () => {
    await useServer(await startServer({ onRcptTo: (_address, _session, done) => done(new Error('No such user here')) }));
    const escrow = await sent();
    expect(escrow).toMatchObject({ state: 'funded', delivery: 'failed', deliveryError: expect.stringContaining('No such user here') });
    expect(await sandbox.balance(EVM_NETWORK, escrow.address)).toBe(1_500_000n);
    await expect(world.resend(escrow.id)).rejects.toMatchObject({ code: 'MAIL_FAILED' });
    await stopServer();
    await expect(world.resend(escrow.id)).rejects.toMatchObject({ code: 'MAIL_FAILED' });

    await useServer(await startServer());
    expect(await world.resend(escrow.id)).toMatchObject({ state: 'notified', delivery: 'sent', deliveryError: '' });
    expect(caught()).toHaveLength(1);
    await world.refund(escrow.id, signal);
    expect(await sandbox.balance(EVM_NETWORK, payer)).toBe(5_000_000n);
  });

  test('I9: makes money open again in the books that was taken back while the mail server took its time', async () => {
    const { id } = await sent();
    const asked = Promise.withResolvers<() => void>();
    await useServer(await startServer({ onMailFrom: (_address, _session, done) => asked.resolve(done) }));
    const resent = world.resend(id);
    const answer = await asked.promise;
    await world.refund(id, signal);
    const before = world.store.get(id);
    expect(before.state).not.toBe('funded');
    answer();
    await resent;
    expect(world.store.get(id)).toMatchObject({ state: before.state, transaction: before.transaction, delivery: 'sent' });
  });

  test('I6: shows the password in the error of a sign-in that failed, or sends it without TLS where that was not allowed', async () => {
    const port = await startServer({ authOptional: false, allowInsecureAuth: true, onAuth: (_auth, _session, done) => done(new Error('Invalid login for hunter2-secret')) });
    await useServer(port, { user: 'owner', password: 'hunter2-secret' });
    const escrow = await sent();
    expect(escrow.deliveryError).toContain('Invalid login');
    expect(escrow.deliveryError).not.toContain('hunter2');
    await useServer(port, { user: 'owner', password: 'hunter2-secret', plain: false });
    await expect(world.resend(escrow.id)).rejects.toMatchObject({ code: 'MAIL_FAILED', message: expect.stringMatching(/STARTTLS|TLS/i) });
  });

  test('I6: lies in the database, or is told, because a server quoted it when it refused the mail', async () => {
    const quoting = (stream: Readable, _session: unknown, done: (error: Error) => void) => {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (text += part));
      stream.on('end', () => done(new Error(`5.7.1 Message contains blocked content: \u001b[2J${claimLinkIn({ from: '', to: [], text })} ${text.slice(text.indexOf('#1.'), text.indexOf('#1.') + 200)}`)));
    };
    await useServer(await startServer({ onData: quoting }));
    const { id } = await sent();
    const { link } = await world.message(id);
    const error = await world.resend(id).catch((thrown: unknown) => thrown);
    const told = `${world.store.get(id).deliveryError} ${String(error)}`;
    expect(told).toContain('blocked content');
    const fragment = link.slice(link.indexOf('#') + 1);
    for (let at = 0; at + 32 <= fragment.length; at += 8) expect(told).not.toContain(fragment.slice(at, at + 32));
    expect(told).not.toContain('\u001b');
    world.checkpoint();
    expect(readFileSync(join(folder, 'bursar.db')).includes(fragment.slice(-120, -20))).toBe(false);
  });

  test('I6: shows the password in a sign-in that failed, where the server quotes what it was sent', async () => {
    const credentials = Buffer.from('\0owner\0hunter2-secret').toString('base64');
    const port = await startServer({ authOptional: false, allowInsecureAuth: true, onAuth: (_auth, _session, done) => done(new Error(`bad credentials ${credentials} (${Buffer.from('hunter2-secret').toString('base64')})`)) });
    await useServer(port, { user: 'owner', password: 'hunter2-secret' });
    const { deliveryError } = await sent();
    expect(deliveryError).toContain('bad credentials');
    for (const form of [credentials, Buffer.from('hunter2-secret').toString('base64'), 'hunter2']) expect(deliveryError).not.toContain(form);
  });

  test('holds everything up for as long as a server likes that is never silent, and never done', async () => {
    const chatty = createServer((socket) => {
      const talk = setInterval(() => socket.write('220-one moment please\r\n'), 50);
      socket.on('close', () => clearInterval(talk)).on('error', () => {});
    });
    await new Promise<void>((resolve) => chatty.listen(0, '127.0.0.1', resolve));
    try {
      const settings = settingsOf((chatty.address() as AddressInfo).port);
      const mail = { to: 'ada@example.org', subject: 'x', text: 'x', html: 'x' };
      await expect(sendMail(settings, mail, 500)).rejects.toMatchObject({ code: 'MAIL_FAILED', message: expect.stringContaining('not done within 0.5 s') });
      await expect(testMail(settings, 500)).rejects.toMatchObject({ code: 'MAIL_FAILED' });
    } finally {
      chatty.close();
    }
  });

  test('leads nowhere, because the owner named no claim page any more; or is handed out when it can no longer be claimed', async () => {
    const { id } = await sent();
    const start = (options: object) => startEscrowWorld({ path: join(folder, 'bursar.db'), owner: { accounts: [], keys: { locked: false, accounts: () => [], use: () => Promise.reject(new Error('no key is needed')) } }, chains, facilitators: [], clock, ...options });
    world.stop();
    const pageless = start({ pageUrl: '' });
    await pageless.mail.set(settingsOf(await startServer()));
    for (const work of [pageless.resend, pageless.message]) await expect(work(id)).rejects.toMatchObject({ code: 'CLAIM_PAGE_MISSING' });
    expect(caught()).toEqual([]);
    pageless.stop();

    world = start({ clock: { ...clock, now: () => clock.now() + 15 * 86_400_000 } });
    for (const work of [world.resend, world.message]) await expect(work(id)).rejects.toMatchObject({ code: 'CLAIM_EXPIRED' });
    expect(caught()).toEqual([]);
  });

  test('I7: is handed or mailed out with a claim page that an agent wrote into config.json, and servers from there say that the money is gone', async () => {
    const { id } = await sent();
    world.stop();
    const lying: Chains = { ...chains, observeEscrow: async () => ({ state: 'moved', transaction: '0x1', final: true, toSender: false }) };
    const findings = { on: true };
    world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner: { accounts: [], keys: { locked: false, accounts: () => [], use: () => Promise.reject(new Error('no key is needed')) } }, chains: lying, facilitators: [], clock, pageUrl: 'https://lying.example/', finding: () => (findings.on ? 'config.json was changed outside Bursar.' : '') });
    await useServer(await startServer());
    world.tamper('UPDATE escrows SET next_look = 0');
    expect(await world.sweep.run(signal)).toBe(1);
    for (const work of [world.resend, world.message]) await expect(work(id)).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
    await expect(world.refund(id, signal)).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
    expect(caught()).toEqual([]);
    expect(world.store.get(id)).toMatchObject({ state: 'funded', delivery: 'none', transaction: '' });
    // Once the owner accepted them, they count.
    findings.on = false;
    world.tamper('UPDATE escrows SET next_look = 0');
    await world.sweep.run(signal);
    expect(world.store.get(id)).toMatchObject({ state: 'claimed' });
  });

  test('I9: fails a payment whose money has moved, because the keys were locked before anybody was told', async () => {
    const owner = await createOwner();
    await sandbox.fund({ network: EVM_NETWORK, address: owner.accounts[0]?.address ?? '', usdc: 5_000_000n, gas: true });
    const port = await startServer();
    const lock = { on: false };
    const locking = startEscrowWorld({
      path: join(folder, 'locked.db'), owner, chains, facilitators: [sandbox.facilitatorUrl], clock, locked: () => lock.on,
      dying: (rail) => rail.submit && (async (...request) => rail.submit!(...request).finally(() => (lock.on = true))),
    });
    try {
      await locking.mail.set(settingsOf(port));
      const outcome = await locking.send({ network: EVM_NETWORK });
      if (outcome.kind !== 'sent') throw new Error(`not sent: ${JSON.stringify(outcome)}`);
      expect(outcome.escrow).toMatchObject({ state: 'funded', delivery: 'none' });
      expect(await sandbox.balance(EVM_NETWORK, outcome.escrow.address)).toBe(1_500_000n);
    } finally {
      locking.stop();
    }
  });
});
