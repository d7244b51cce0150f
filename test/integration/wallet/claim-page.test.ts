import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { exportClaimPage } from '../../../src/main/claim-page.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readClaimLink, writeClaimFragment } from '../../../src/shared/escrow/claim-link.ts';
import { createOwner, startEscrowWorld, type EscrowWorld } from '../../support/escrow-world.ts';
import { serveFolder, type StaticHost } from '../../support/static-host.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal } from '../rails/shop.ts';

/** The exported claim page, on a plain static server, in a real Chromium: a person without a wallet's coin claims on both kinds of network. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const executablePath = findChromium();

const CHAINS = [
  { name: 'EVM', network: EVM_NETWORK as typeof EVM_NETWORK, place: 0, stranger: async () => evmAccount(random(32)).address },
  { name: 'Solana', network: SOLANA_NETWORK as typeof SOLANA_NETWORK, place: 1, stranger: async () => (await solanaAccount(random(32))).address },
];

describe.skipIf(executablePath === undefined)('the claim page', () => {
  let sandbox: Sandbox;
  let chains: Chains;
  let browser: Browser;
  let host: StaticHost;
  let site: string;
  let folder: string;
  let pages: string;
  let world: EscrowWorld;
  let payers: readonly string[];
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bursar-claims-'));
    pages = join(folder, 'built');
    sandbox = await startSandbox({ slotMs: 40 });
    chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
    await build({ configFile: false, root: join(root, 'src/renderer'), base: './', logLevel: 'error', build: { outDir: pages, modulePreload: { polyfill: false }, rolldownOptions: { input: join(root, 'src/renderer/claim.html') } } });
    const config = {
      facilitators: { [EVM_NETWORK]: [sandbox.facilitatorUrl], [SOLANA_NETWORK]: [sandbox.facilitatorUrl] },
      rpcUrls: { [EVM_NETWORK]: [sandbox.evm.rpcUrl], [SOLANA_NETWORK]: [sandbox.solana.rpcUrl] },
    };
    const dir = join(folder, 'site');
    await exportClaimPage(dir, { pages, config });
    host = await serveFolder(dir);
    site = host.url;
    const owner = await createOwner();
    payers = owner.accounts.map(({ address }) => address);
    for (const { network, place } of CHAINS) await sandbox.fund({ network, address: payers[place] ?? '', usdc: 50_000_000n, gas: true });
    world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner, chains, facilitators: [sandbox.facilitatorUrl], clock, pageUrl: site });
    browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    world?.stop();
    await host?.close();
    chains?.close();
    await sandbox?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    complaints = [];
    host.asked.length = 0;
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => void (/Content Security Policy/.test(message.text()) && complaints.push(message.text())));
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });

  const linkTo = async (network: string): Promise<{ id: string; address: string; link: string }> => {
    const sent = await world.send({ network, to: `${crypto.randomUUID()}@example.org` });
    if (sent.kind !== 'sent') throw new Error('not sent');
    return { id: sent.escrow.id, address: sent.escrow.address, link: (await world.message(sent.escrow.id)).link };
  };
  const status = () => page.getByRole('status');
  const claimButton = () => page.getByRole('button', { name: 'Claim' });
  const claimTo = async (address: string): Promise<void> => {
    await page.getByRole('textbox').fill(address);
    await claimButton().click();
  };

  describe.each(CHAINS)('on $name', ({ network, place, stranger }) => {
    test('does not bring the money to the recipient, or needs coin of theirs; or tells its host the link', async () => {
      const { address, link } = await linkTo(network);
      const recipient = await stranger();
      await page.goto(link);
      await expect.poll(() => page.getByText('1.50 USDC').first().isVisible()).toBe(true);
      expect(await page.getByText('lunch').isVisible()).toBe(true);
      await expect.poll(() => claimButton().isEnabled(), { timeout: 20_000 }).toBe(true);
      await claimTo(recipient);
      await expect.poll(() => status().textContent(), { timeout: 50_000 }).toBe('1.50 USDC is yours now.');
      expect(await sandbox.balance(network, recipient)).toBe(1_500_000n);
      expect(await sandbox.balance(network, address)).toBe(0n);
      const { secret } = readClaimLink(link);
      expect(host.asked.every((url) => !url.includes('#') && !url.includes(secret))).toBe(true);

      // The same link again, and after a refund.
      await page.reload();
      await expect.poll(() => status().textContent(), { timeout: 20_000 }).toContain('The money was claimed already.');
      expect(await claimButton().isVisible()).toBe(false);
      const second = await linkTo(network);
      await world.refund(second.id, signal);
      await page.goto('about:blank');
      await page.goto(second.link);
      await expect.poll(() => status().textContent(), { timeout: 20_000 }).toContain('The sender has taken the money back already.');
    });

    test('takes an address that is wrong, or the escrow’s own', async () => {
      const { address, link } = await linkTo(network);
      const before = await sandbox.balance(network, payers[place] ?? '');
      await page.goto(link);
      await expect.poll(() => claimButton().isEnabled(), { timeout: 20_000 }).toBe(true);
      const other = await CHAINS[1 - place]?.stranger();
      const good = await stranger();
      const swapped = network === EVM_NETWORK ? good.replace(/[a-f]/, (letter) => letter.toUpperCase()).replace(/[A-F](?=[^A-F]*$)/, (letter) => letter.toLowerCase()) : good.slice(0, -3);
      for (const wrong of [other ?? '', swapped, address, readClaimLink(link).token.address]) {
        await claimTo(wrong);
        await expect.poll(() => status().textContent()).toMatch(/address|account|checksum|token/i);
        expect(await status().getAttribute('class')).toContain('bad');
      }
      expect(await sandbox.balance(network, address)).toBe(1_500_000n);
      expect(await sandbox.balance(network, payers[place] ?? '')).toBe(before);
    });
  });

  test('claims by a link that is cut off, changed, expired or of another network', async () => {
    const { address, link } = await linkTo(EVM_NETWORK);
    const fragment = link.slice(link.indexOf('#') + 1);
    const fields = readClaimLink(link);
    const says = async (changed: string, words: string) => {
      await page.goto('about:blank');
      await page.goto(`${site}#${changed}`);
      await expect.poll(() => status().textContent(), { timeout: 20_000 }).toContain(words);
      expect(await claimButton().isVisible()).toBe(false);
    };
    await says('', 'not complete');
    await says(fragment.slice(0, -20), 'not complete');
    await says(fragment.replace(/\.(.)(.)/, (_all, one: string, two: string) => `.${one}${two === 'A' ? 'B' : 'A'}`), 'was changed on its way');
    await says(`2.${fragment.slice(2)}`, 'newer kind');
    await says(writeClaimFragment({ ...fields, network: 'bip122:0' }), 'network that this program does not know');
    await says(writeClaimFragment({ ...fields, expiresAt: Date.now() - 1000 }), 'goes back to the sender');
    expect(await sandbox.balance(EVM_NETWORK, address)).toBe(1_500_000n);
  });

  test('says that the money is the recipient’s because a facilitator says so, while it lies in escrow; or shows what a hostile one writes as its own', async () => {
    const { address, link } = await linkTo(EVM_NETWORK);
    await page.route(`${sandbox.facilitatorUrl}/settle`, (route) =>
      route.fulfill({ status: 200, headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }, contentType: 'application/json', body: JSON.stringify({ success: true, transaction: `0x${'1'.repeat(64)}<img src=x onerror=alert(1)>` }) }),
    );
    await page.goto(link);
    await expect.poll(() => claimButton().isEnabled(), { timeout: 20_000 }).toBe(true);
    await claimTo(evmAccount(random(32)).address);
    await expect.poll(() => status().textContent(), { timeout: 50_000 }).toContain('the network does not show that');
    expect(await page.getByText('is yours now').count()).toBe(0);
    expect(await sandbox.balance(EVM_NETWORK, address)).toBe(1_500_000n);
    // The link still works with one that keeps its word.
    await page.unroute(`${sandbox.facilitatorUrl}/settle`);
    const recipient = evmAccount(random(32)).address;
    await claimTo(recipient);
    await expect.poll(() => status().textContent(), { timeout: 50_000 }).toBe('1.50 USDC is yours now.');
    expect(await sandbox.balance(EVM_NETWORK, recipient)).toBe(1_500_000n);
  });

  test('is exported with a link, a key or a network that nobody named; or over somebody’s files', async () => {
    const dir = join(folder, 'again');
    const config = { facilitators: { [EVM_NETWORK]: ['https://facilitator.example/x'] }, rpcUrls: {} };
    await exportClaimPage(dir, { pages, config });
    const html = readFileSync(join(dir, 'index.html'), 'utf8');
    expect(html).toContain('connect-src https://facilitator.example;');
    expect(html).toContain("default-src 'none'; script-src 'self'");
    expect(readdirSync(dir).toSorted()).toEqual(['assets', 'index.html']);
    await exportClaimPage(dir, { pages, config });
    await expect(exportClaimPage(pages, { pages, config })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});
