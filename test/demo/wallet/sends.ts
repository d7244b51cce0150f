import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import type { Claimed, EscrowSent, EscrowView } from '../../../src/shared/contract/escrows.ts';
import { addClient } from '../../support/contract.ts';
import { claimLinkIn } from '../../support/mail-catcher.ts';
import { serveFolder } from '../../support/static-host.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { approved, given, moved, until, usdc, type Step } from './steps.ts';
import { EVM, SOLANA, type Agent, type WalletWorld } from './world.ts';

const DAY_MS = 86_400_000;
const DAYS = 7;

const ownAddress = async ({ json }: WalletWorld, namespace: string): Promise<string> =>
  (await json<RouteOutput<'accounts.list'>>(['account', 'list'])).accounts.find((account) => account.namespace === namespace && account.source === 'seed')!.address;

/** Money for contacts, addresses, and people without a wallet, asked for by an agent that has an API key for it. */
export function sendSteps(): readonly Step[] {
  const ada = evmAccount(random(32)).address;
  let agent: Agent;
  let bobsLink = '';
  let bobs = 0n;
  let closeHost: () => Promise<void> = async () => {};

  /** The mail that came last, to somebody. */
  const mailTo = async ({ mail }: WalletWorld, email: string) => until(async () => mail.caught.findLast(({ to }) => to.includes(email)), (found) => found !== undefined);

  return [
    {
      step: 'contacts are written, the claim page is put on a static host, a mail server is set',
      async run({ json, cli, folder, mail }) {
        await json(['contact', 'add', 'Ada', '--evm', ada]);
        await json(['contact', 'add', 'Bob', '--email', 'bob@example.org']);
        const site = join(folder, 'site');
        const { files } = await json<{ files: readonly string[] }>(['claim-page', site]);
        const host = await serveFolder(site);
        closeHost = host.close;
        await json(['escrow', 'page', host.url, '--days', String(DAYS)]);
        await json(['mail', 'set', '127.0.0.1', '--port', String(mail.port), '--plain', '--from', 'owner@example.org']);
        await cli(['mail', 'test', 'owner@example.org']);
        assert.equal(mail.caught.length, 1);
        return `2 contacts; ${files.length} files at ${host.url}; the test mail came`;
      },
    },
    {
      step: 'send_to_contact pays directly',
      async run(world) {
        const token = await addClient(world.contract, 'assistant', ['payment_context:read', 'contact_payments:write', 'address_payments:write', 'email_payments:write', 'x402:execute']);
        agent = await world.agent({ token });
        const from = await ownAddress(world, 'eip155');
        const { result, shown } = await moved(world, EVM, { from, to: ada, units: 250_000n }, () => approved(world, agent.call('send_to_contact', { contact_number: 1, amount: '0.25', memo: 'lunch' })));
        const sent = given(result);
        assert.equal(sent['paymentType'], 'direct');
        assert.ok(shown.includes('lunch') && shown.includes('Ada'), 'the owner was not shown whom and what for');
        return `0.25 USDC to Ada, transaction ${String(sent['transactionId'])}`;
      },
    },
    {
      step: 'send_to_contact pays a contact without an address by escrow',
      async run(world) {
        const { result } = await approved(world, agent.call('send_to_contact', { contact_number: 2, amount: '0.5', memo: 'rent', network: 'Base Sepolia' }));
        const sent = given(result);
        assert.equal(sent['paymentType'], 'escrow');
        bobs = await world.held(EVM, String(sent['recipient']));
        assert.equal(bobs, 500_000n);
        bobsLink = claimLinkIn((await mailTo(world, 'bob@example.org'))!);
        assert.ok(!JSON.stringify(result).includes(bobsLink.slice(bobsLink.indexOf('#'))), 'the agent was told the link');
        return `${usdc(bobs)} lies at ${String(sent['recipient'])}; the link went to bob@example.org by mail`;
      },
    },
    {
      step: 'the link is claimed on the command line, once',
      async run(world) {
        const to = evmAccount(random(32)).address;
        const claimed = await moved(world, EVM, { to, units: bobs }, () => world.json<Claimed>(['claim', '-', '--to', to], bobsLink));
        await assert.rejects(world.cli(['claim', '-', '--to', evmAccount(random(32)).address], bobsLink), /CLAIM_GONE/);
        return `${usdc(bobs)} to ${to}, transaction ${claimed.transaction}; the second try was refused`;
      },
    },
    {
      step: 'send_to_address makes the token account that is missing, and its cost is shown before',
      async run(world) {
        const { address } = await solanaAccount(random(32));
        const from = await ownAddress(world, 'solana');
        const quote = await world.json<RouteOutput<'sends.quote'>>(['send', address, '0.3', '--quote']);
        assert.ok(quote.fees.some(({ rentUnits }) => rentUnits !== undefined), 'the rent is not in the quote');
        const { result, shown } = await moved(world, SOLANA, { from, to: address, units: 300_000n }, () => approved(world, agent.call('send_to_address', { address, amount: '0.3', memo: 'first payment' })));
        assert.ok(shown.includes(address.slice(0, 4)), 'the owner was not shown the address');
        return `0.3 USDC to ${address}, rent included; transaction ${String(given(result)['transactionId'])}`;
      },
    },
    {
      step: 'send_to_email is claimed in Chromium by somebody without a wallet',
      async run(world) {
        const { result } = await approved(world, agent.call('send_to_email', { email: 'carol@example.org', amount: '0.4', memo: 'for the book', network: 'Solana Devnet' }));
        assert.equal(given(result)['status'], 'notified');
        const link = claimLinkIn((await mailTo(world, 'carol@example.org'))!);
        const { address } = await solanaAccount(random(32));
        const page = await world.owner.browser.newPage();
        try {
          await moved(world, SOLANA, { to: address, units: 400_000n }, async () => {
            await page.goto(link);
            await page.getByRole('textbox').fill(address);
            await page.getByRole('button', { name: 'Claim' }).click();
            await page.getByText('0.40 USDC is yours now.').waitFor({ timeout: 40_000 });
          });
        } finally {
          await page.close();
        }
        return `0.4 USDC to ${address}, who had neither coin nor token account`;
      },
    },
    {
      step: 'what nobody claims comes back after its time',
      async run(world) {
        await agent.close();
        const from = await ownAddress(world, 'eip155');
        const before = await world.held(EVM, from);
        const { result } = await approved(world, world.json<EscrowSent>(['send-email', 'dave@example.org', '0.35', '--network', 'Base Sepolia', '--from', from]));
        const { id, address } = result.escrow;
        assert.equal(await world.held(EVM, address), 350_000n);
        const link = claimLinkIn((await mailTo(world, 'dave@example.org'))!);
        // A week passes, on the chain and for Bursar, which is started again then.
        await world.sandbox.time.advanceEvm((DAYS * DAY_MS) / 1000 + 60);
        await world.restart(DAYS * DAY_MS + 60_000);
        await assert.rejects(world.cli(['claim', '-', '--to', ada], link), /CLAIM_(EXPIRED|GONE)/);
        await until(async () => {
          await world.sandbox.time.advanceEvm(2);
          return (await world.json<{ escrows: readonly EscrowView[] }>(['escrow', 'list'])).escrows.find((one) => one.id === id)?.state;
        }, (state) => state === 'refunded', 40_000);
        assert.deepEqual([await world.held(EVM, address), await world.held(EVM, from)], [0n, before]);
        await closeHost();
        return `0.35 USDC lay at ${address} and is back at ${from}`;
      },
    },
  ];
}
