import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Rail } from '../../../src/core/ports.ts';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { coinOf } from '../../../src/core/registry/coins.ts';
import { SPL_TOKEN } from '../../../src/core/registry/solana-tokens.ts';
import { tokenAccountOf } from '../../../src/main/adapters/chain/token-account.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { systemClock } from '../../../src/main/adapters/clock.ts';
import { readClaimLink, writeClaimFragment } from '../../../src/shared/escrow/claim-link.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createOwner, PAGE_URL, startEscrowWorld, type EscrowWorld, type Owner } from '../../support/escrow-world.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal } from '../rails/shop.ts';

/** Money for people without a wallet, on a real EVM and a real Solana VM, settled by the stock facilitator. */

let sandbox: Sandbox;
let chains: Chains;
let folder: string;
let worlds: EscrowWorld[];
/** Added to the wall clock: links run out without waiting. */
let ahead = 0;
/** So far the EVM was moved ahead of the wall clock. */
let chainAhead = 0;
const clock = { ...systemClock, now: () => systemClock.now() + ahead };

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, slotMs: 40 });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(() => {
  ahead = chainAhead;
  worlds = [];
  folder = mkdtempSync(join(tmpdir(), 'bursar-escrows-'));
});
afterEach(() => {
  for (const world of worlds) world.stop();
  sandbox.faults?.clear();
  rmSync(folder, { recursive: true, force: true });
});

const CHAINS = [
  { name: 'EVM', network: EVM_NETWORK as typeof EVM_NETWORK, place: 0, stranger: async () => evmAccount(random(32)).address },
  { name: 'Solana', network: SOLANA_NETWORK as typeof SOLANA_NETWORK, place: 1, stranger: async () => (await solanaAccount(random(32))).address },
];

describe.each(CHAINS)('an escrow on $name', ({ network, place, stranger }) => {
  let owner: Owner;
  let payer: string;
  let recipient: string;
  const held = (address: string) => sandbox.balance(network, address);
  const start = (options: Partial<Parameters<typeof startEscrowWorld>[0]> = {}): EscrowWorld => {
    const world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner, chains, facilitators: [sandbox.facilitatorUrl], clock, ...options });
    worlds.push(world);
    return world;
  };
  const end = (world: EscrowWorld): void => {
    worlds = worlds.filter((one) => one !== world);
    world.stop();
  };
  const finalize = async () => {
    await sandbox.time.advanceEvm(1);
    sandbox.time.advanceSolana(40);
  };
  const send = async (world: EscrowWorld, memo = 'lunch') => {
    const sent = await world.send({ network, memo });
    if (sent.kind !== 'sent') throw new Error(`not sent: ${JSON.stringify(sent)}`);
    return sent;
  };

  beforeEach(async () => {
    owner = await createOwner();
    payer = owner.accounts[place]?.address ?? '';
    recipient = await stranger();
    await sandbox.fund({ network, address: payer, usdc: 5_000_000n, gas: true });
  });

  test('holds another amount than was sent, or its rent is hidden; or somebody without any coin cannot claim it', async () => {
    const world = start();
    const { escrow } = await send(world);
    expect(escrow).toMatchObject({ state: 'funded', units: 1_500_000n, network, delivery: 'none' });
    expect(await held(escrow.address)).toBe(1_500_000n);
    expect(await held(payer)).toBe(3_500_000n);

    const { link } = await world.message(escrow.id);
    expect(link.startsWith(`${PAGE_URL}#1.`)).toBe(true);
    expect(await world.claim(link, recipient, signal)).toMatchObject({ to: recipient, units: 1_500_000n });
    expect(await held(recipient)).toBe(1_500_000n);
    expect(await held(escrow.address)).toBe(0n);
    expect(await chains.balance(coinOf(network), recipient, { fresh: true })).toBe(0n);

    await finalize();
    expect(await world.sweep.run(signal)).toBeGreaterThanOrEqual(0);
    ahead += 3_600_000;
    await world.sweep.run(signal);
    expect(world.store.get(escrow.id)).toMatchObject({ state: 'claimed' });
  });

  test.runIf(network === SOLANA_NETWORK)('the rent of an emptied escrow is lost, or goes to somebody else than who paid', async () => {
    const coin = coinOf(network);
    const coins = () => chains.balance(coin, payer, { fresh: true });
    const before = await coins();
    const world = start();
    const { escrow } = await send(world);
    const second = await send(world, 'dinner');
    await world.claim((await world.message(escrow.id)).link, recipient, signal);
    await world.refund(second.escrow.id, signal);
    for (let round = 0; round < 4 && !(world.store.get(escrow.id).rentBack && world.store.get(second.escrow.id).rentBack); round += 1) {
      await finalize();
      ahead += 2 * 3_600_000;
      await world.sweep.run(signal);
    }
    expect(world.store.get(escrow.id)).toMatchObject({ state: 'claimed', rentBack: true });
    expect(world.store.get(second.escrow.id)).toMatchObject({ state: 'refunded', rentBack: true });
    for (const { address } of [escrow, second.escrow]) expect(await chains.balance(coin, address, { fresh: true })).toBe(0n);
    // What is gone: the recipient's token account, and the fees of two payments, one account and two returns.
    const spent = before - (await coins());
    expect(spent).toBeGreaterThanOrEqual(2_039_280n);
    expect(spent).toBeLessThan(2_039_280n + 5n * 5_002n);
  });

  test('I1: a link that is used twice, or after a refund, moves money again; or neither end says which it was', async () => {
    const world = start();
    const { escrow } = await send(world);
    const { link } = await world.message(escrow.id);
    await world.claim(link, recipient, signal);
    const other = await stranger();
    await expect(world.claim(link, other, signal)).rejects.toMatchObject({ code: 'CLAIM_GONE', message: expect.stringContaining('claimed already') });
    await expect(world.refund(escrow.id, signal)).rejects.toMatchObject({ code: 'CLAIM_GONE', message: expect.stringContaining('claimed already') });
    expect([await held(other), await held(recipient), await held(payer)]).toEqual([0n, 1_500_000n, 3_500_000n]);

    const second = await send(world, 'dinner');
    const handed = await world.message(second.escrow.id);
    const back = await world.refund(second.escrow.id, signal);
    expect(['refunding', 'refunded']).toContain(back.state);
    expect(await held(payer)).toBe(3_500_000n);
    await expect(world.claim(handed.link, other, signal)).rejects.toMatchObject({ code: 'CLAIM_GONE', message: expect.stringContaining('sender took the money back') });
    await finalize();
    ahead += 60_000;
    await world.sweep.run(signal);
    expect(world.store.get(second.escrow.id)).toMatchObject({ state: 'refunded', transaction: expect.stringMatching(/./) });
  });

  test('I1: several who claim by one link at once are paid together, or who was late is not told that it was claimed', async () => {
    const world = start();
    const { escrow } = await send(world);
    const { link } = await world.message(escrow.id);
    const recipients = await Promise.all([stranger(), stranger(), stranger()]);
    const claims = await Promise.allSettled(recipients.map((to) => world.claim(link, to, signal)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const claim of claims) if (claim.status === 'rejected') expect(claim.reason).toMatchObject({ code: 'CLAIM_GONE', message: expect.stringContaining('claimed already') });
    expect((await Promise.all(recipients.map(held))).filter((units) => units > 0n)).toEqual([1_500_000n]);
  });

  test('a claim and a refund that race both win, or neither does', async () => {
    const world = start();
    const { escrow } = await send(world);
    const { link } = await world.message(escrow.id);
    const [claimed, refunded] = await Promise.allSettled([world.claim(link, recipient, signal), world.refund(escrow.id, signal)]);
    const claimWon = (await held(recipient)) === 1_500_000n;
    expect(await held(escrow.address)).toBe(0n);
    expect(await held(payer)).toBe(claimWon ? 3_500_000n : 5_000_000n);
    expect(claimed.status).toBe(claimWon ? 'fulfilled' : 'rejected');
    if (refunded.status === 'fulfilled') expect(refunded.value.state === 'claimed').toBe(false);
    expect(refunded.status).toBe(claimWon ? 'rejected' : 'fulfilled');
    await finalize();
    ahead += 60_000;
    await world.sweep.run(signal);
    expect(world.store.get(escrow.id).state).toBe(claimWon ? 'claimed' : 'refunded');
  });

  test('what nobody claims stays in escrow after the link ran out, or such a link still claims', async () => {
    const world = start();
    const { escrow } = await send(world);
    const { link } = await world.message(escrow.id);
    ahead += 15 * 86_400_000;
    await expect(world.claim(link, recipient, signal)).rejects.toMatchObject({ code: 'CLAIM_EXPIRED' });
    expect(await held(escrow.address)).toBe(1_500_000n);
    // Authorizations are made by the clock, and the chain has its own.
    const later = start();
    if (network === EVM_NETWORK) {
      await sandbox.time.advanceEvm(15 * 86_400);
      chainAhead = ahead;
    }
    await later.sweep.run(signal);
    expect(await held(payer)).toBe(5_000_000n);
    await finalize();
    ahead += 60_000;
    await later.sweep.run(signal);
    expect(later.store.get(escrow.id).state).toBe('refunded');
  });

  for (const [when, dying] of [
    ['before the money left', () => () => new Promise<never>(() => {})],
    ['after the money left', (rail: Rail) => async (...request: Parameters<NonNullable<Rail['submit']>>) => (await rail.submit!(...request), new Promise<never>(() => {}))],
  ] as const satisfies readonly (readonly [string, (rail: Rail) => Rail['submit']])[]) {
    test(`a process that dies while it funds, ${when}, loses the escrow or funds two`, async () => {
      const first = start({ dying });
      void first.send({ network });
      await expect.poll(() => first.read('SELECT money FROM payments'), { timeout: 20_000 }).toBe('outstanding');
      const [row] = first.store.page(1);
      if (!row) throw new Error('the row has to be there before the money leaves');
      if (when.startsWith('after')) await expect.poll(() => held(row.address), { timeout: 20_000 }).toBe(1_500_000n);
      const second = start();
      const sent = await send(second);
      expect(sent.escrow.id).toBe(row.id);
      expect(second.store.page(10)).toHaveLength(1);
      expect(await held(payer)).toBe(3_500_000n);
      const { link } = await second.message(row.id);
      await second.claim(link, recipient, signal);
      expect(await held(recipient)).toBe(1_500_000n);
    });
  }

  test('I7: where ledger or settings were changed from outside, money goes back to whom they name, is called gone on the word of their servers, or its link is shown for their page', async () => {
    let finding = '';
    const world = start({ finding: () => finding });
    const { escrow } = await send(world);
    finding = 'config.json was changed outside Bursar.';
    await expect(world.refund(escrow.id, signal)).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
    await expect(world.message(escrow.id)).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
    ahead += 15 * 86_400_000;
    const before = world.store.get(escrow.id);
    await world.sweep.run(signal);
    expect(world.store.get(escrow.id)).toEqual(before);
    expect(await held(escrow.address)).toBe(1_500_000n);
    finding = '';
    ahead += 60_000;
    await world.sweep.run(signal);
    expect(await held(payer)).toBe(5_000_000n);
  });

  test('without any facilitator the money cannot leave, although its reserve on Solana, or coin that was sent to it, could pay for that', async () => {
    const world = start({ facilitators: ['http://127.0.0.1:9'] });
    const { escrow } = await send(world);
    if (network === EVM_NETWORK) await sandbox.fund({ network, address: escrow.address, gas: true });
    const { link } = await world.message(escrow.id);
    await world.claim(link, recipient, signal);
    expect(await held(recipient)).toBe(1_500_000n);
    const second = await send(world, 'dinner');
    if (network === EVM_NETWORK) await sandbox.fund({ network, address: second.escrow.address, gas: true });
    await world.refund(second.escrow.id, signal);
    expect(await held(payer)).toBe(3_500_000n);
  });

  test.runIf(network === EVM_NETWORK)('I10: a refund that was cut short is signed a second time while the first may still move the money', async () => {
    const world = start({ facilitators: ['http://127.0.0.1:9'] });
    const { escrow } = await send(world);
    await expect(world.refund(escrow.id, signal)).rejects.toMatchObject({ code: 'SETTLEMENT_FAILED' });
    const first = world.store.get(escrow.id);
    expect(first).toMatchObject({ state: 'refunding', refundTrack: expect.stringContaining('settle') });
    expect(await held(payer)).toBe(3_500_000n);
    end(world);
    const later = start();
    const back = await later.refund(escrow.id, signal);
    expect(back.refundTrack).toBe(first.refundTrack);
    expect(await held(payer)).toBe(5_000_000n);
  });

  test.runIf(network === EVM_NETWORK)('I10: a refund whose first authorization died unused never comes', async () => {
    const world = start({ facilitators: ['http://127.0.0.1:9'] });
    const { escrow } = await send(world);
    await expect(world.refund(escrow.id, signal)).rejects.toMatchObject({ code: 'SETTLEMENT_FAILED' });
    const { refundTrack: first } = world.store.get(escrow.id);
    end(world);
    await sandbox.time.advanceEvm(600);
    chainAhead += 600_000;
    ahead = chainAhead;
    const later = start();
    const { refundTrack: second } = await later.refund(escrow.id, signal);
    expect(second).not.toBe(first);
    expect(await held(payer)).toBe(5_000_000n);
  });

  test('is claimed to what is no wallet, where the money would be lost: the token itself, a token account, a program, nobody', async () => {
    const world = start();
    const { escrow } = await send(world);
    const { link } = await world.message(escrow.id);
    const { token } = readClaimLink(link);
    const nobody = network === EVM_NETWORK ? '0x000000000000000000000000000000000000dEaD' : '1nc1nerator11111111111111111111111111111111';
    const accounts = network === EVM_NETWORK ? ['0x0000000000000000000000000000000000000000'] : [await tokenAccountOf(payer, REGISTERED.find(network, token.address)!), SPL_TOKEN];
    for (const to of [token.address, nobody, ...accounts]) await expect(world.claim(link, to, signal), to).rejects.toMatchObject({ code: 'ADDRESS_INVALID' });
    expect(await held(escrow.address)).toBe(1_500_000n);
  });

  test('a link that is cut off, or an address of another kind of network, moves money', async () => {
    const world = start();
    const { escrow } = await send(world);
    const { link } = await world.message(escrow.id);
    const other = await CHAINS[1 - place]?.stranger();
    await expect(world.claim(link.slice(0, -9), recipient, signal)).rejects.toMatchObject({ code: 'CLAIM_LINK_INVALID' });
    await expect(world.claim(link.replace('#1.W', '#1.X'), recipient, signal)).rejects.toMatchObject({ code: 'CLAIM_LINK_INVALID' });
    await expect(world.claim(link, other ?? '', signal)).rejects.toMatchObject({ code: 'ADDRESS_INVALID', message: expect.stringContaining('another kind of network') });
    await expect(world.claim(link, escrow.address, signal)).rejects.toMatchObject({ code: 'ADDRESS_INVALID' });
    const elsewhere = writeClaimFragment({ ...readClaimLink(link), network: network === EVM_NETWORK ? 'eip155:8453' : 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' });
    await expect(world.claim(elsewhere, recipient, signal)).rejects.toMatchObject({ code: 'NETWORK_UNSUPPORTED' });
    expect([await held(escrow.address), await held(recipient)]).toEqual([1_500_000n, 0n]);
  });

  test('a row that was changed from outside sends the link of one escrow to the recipient of another', async () => {
    const world = start();
    const first = await send(world);
    const second = await send(world, 'dinner');
    world.tamper(`DROP TRIGGER escrows_terms; UPDATE escrows SET key_index = 'x' WHERE id = '${second.escrow.id}'; UPDATE escrows SET key_index = '${second.escrow.keyIndex}', address = '${second.escrow.address}' WHERE id = '${first.escrow.id}'`);
    await expect(world.message(first.escrow.id)).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
    await expect(world.message(second.escrow.id)).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
  });

  test('I6: the key or the link of an escrow lies in the database, or reaches the agent', async () => {
    const world = start();
    const { escrow, ...sent } = await send(world);
    const { link } = await world.message(escrow.id);
    const { secret: key } = readClaimLink(link);
    world.checkpoint();
    const file = readFileSync(join(folder, 'bursar.db'));
    expect(file.includes(Buffer.from(key, 'hex')) || file.includes(key)).toBe(false);
    expect(JSON.stringify({ sent, escrow: { ...escrow, units: '' } })).not.toContain(key);
  });
});

describe('an order by e-mail or phone', () => {
  test('that is wrong makes an escrow, or moves money', async () => {
    const owner = await createOwner();
    const world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner, chains, facilitators: [], clock });
    worlds.push(world);
    const wrong = async (change: Parameters<EscrowWorld['send']>[0], code: string) => expect(world.send(change)).rejects.toMatchObject({ code });
    await wrong({ to: 'ada@example.org\r\nBcc: eve@example.org' }, 'RECIPIENT_INVALID');
    await wrong({ to: 'ada@localhost' }, 'RECIPIENT_INVALID');
    await wrong({ to: 'Ada <ada@example.org>' }, 'RECIPIENT_INVALID');
    await wrong({ to: 'ada@example.org,eve@example.org' }, 'RECIPIENT_INVALID');
    await wrong({ kind: 'sms', to: '0151 2345678' }, 'RECIPIENT_INVALID');
    await wrong({ kind: 'sms', to: '+49 12' }, 'RECIPIENT_INVALID');
    await wrong({ amount: '1.2345678' }, 'AMOUNT_INVALID');
    await wrong({ token: 'ETH' }, 'ASSET_UNKNOWN');
    await wrong({ network: 'Polygon' }, 'NETWORK_UNSUPPORTED');
    await wrong({}, 'INSUFFICIENT_BALANCE');
    const unset = startEscrowWorld({ path: join(folder, 'other.db'), owner, chains, facilitators: [], clock, pageUrl: '' });
    worlds.push(unset);
    await expect(unset.send()).rejects.toMatchObject({ code: 'CLAIM_PAGE_MISSING' });
    expect([...world.store.page(10), ...unset.store.page(10)]).toEqual([]);
  });
});
