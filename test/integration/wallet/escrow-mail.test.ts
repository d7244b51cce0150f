import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readClaimLink } from '../../../src/shared/escrow/claim-link.ts';
import { createOwner, startEscrowWorld, type EscrowWorld } from '../../support/escrow-world.ts';
import { evmAccount, random } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal } from '../rails/shop.ts';

/** Claim links by mail, through a real SMTP server. */

interface Caught {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

let sandbox: Sandbox;
let chains: Chains;
let folder: string;
let world: EscrowWorld;
let payer: string;
let server: SMTPServer | undefined;
let caught: Caught[];

beforeAll(async () => {
  sandbox = await startSandbox();
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  caught = [];
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
  if (stopping) await new Promise<void>((resolve) => stopping.close(resolve));
}

async function startServer(options: SMTPServerOptions = {}): Promise<number> {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData(stream, { envelope }, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (text += part));
      stream.on('end', () => {
        caught.push({ from: envelope.mailFrom === false ? '' : envelope.mailFrom.address, to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  return (listening.address() as AddressInfo).port;
}

const useServer = (port: number, change: object = {}) => world.mail.set({ host: '127.0.0.1', port, secure: false, plain: true, user: '', password: '', from: 'owner@example.org', ...change });

/** The text part of a mail, its soft line breaks taken out. */
const unfolded = (text: string): string => text.replace(/=\r?\n/g, '').replace(/=3D/g, '=');

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
    expect(caught).toMatchObject([{ from: 'owner@example.org', to: ['ada@example.org'] }]);
    const mail = unfolded(caught[0]?.text ?? '');
    const [link = ''] = /https:\/\/claims\.example\/pay\/#1\.[\w-]+\.[0-9a-f]{8}/.exec(mail) ?? [];
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
    expect(caught).toHaveLength(1);
    await world.refund(escrow.id, signal);
    expect(await sandbox.balance(EVM_NETWORK, payer)).toBe(5_000_000n);
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
});
