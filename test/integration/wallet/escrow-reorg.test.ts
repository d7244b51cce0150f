import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClient, http, publicActions } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createOwner, startEscrowWorld } from '../../support/escrow-world.ts';
import { evmAccount, random } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal } from '../rails/shop.ts';

let sandbox: Sandbox;
let chains: Chains;
let folder: string;

beforeAll(async () => {
  // No block of its own accord: nothing becomes final before the test says so.
  sandbox = await startSandbox({ evmIntervalSeconds: 3600 });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
  folder = mkdtempSync(join(tmpdir(), 'bursar-escrow-reorg-'));
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('I5, I9: a funding that a reorganisation took back still counts as paid; or once it lands again, the link that was sent is dead', { timeout: 120_000 }, async () => {
  const owner = await createOwner();
  await sandbox.fund({ network: EVM_NETWORK, address: owner.accounts[0]!.address, usdc: 5_000_000n, gas: true });
  const world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner, chains, facilitators: [sandbox.facilitatorUrl], clock });
  try {
    const control = createTestClient({ mode: 'anvil', transport: http(sandbox.evm.rpcUrl) }).extend(publicActions);
    const state = async () => {
      await world.sweep.run(signal);
      return world.store.get(id).state;
    };
    const snapshot = await control.snapshot();
    const sent = await world.send({ network: EVM_NETWORK });
    if (sent.kind !== 'sent') throw new Error('not sent');
    const { id, address } = sent.escrow;
    const { link } = await world.message(id);
    expect(world.store.get(id)).toMatchObject({ state: 'notified' });
    const raw = await control.request({ method: 'eth_getRawTransactionByHash', params: [sent.transaction] } as never);

    await control.revert({ id: snapshot });
    expect(await sandbox.balance(EVM_NETWORK, address)).toBe(0n);
    await expect.poll(() => world.read('SELECT money FROM payments'), { timeout: 30_000 }).toBe('outstanding');
    await expect(world.message(id)).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('was not paid yet') });
    expect(world.store.get(id)).toMatchObject({ state: 'funding', delivery: 'handed' });
    await expect(world.refund(id, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    await control.sendRawTransaction({ serializedTransaction: raw });
    await expect.poll(() => world.read('SELECT money FROM payments'), { timeout: 60_000 }).toBe('settled');
    // Whom the link was handed to can claim by it: nobody has to be told again.
    await world.message(id);
    expect(await state()).toBe('notified');
    const { address: recipient } = evmAccount(random(32));
    await world.claim(link, recipient, signal);
    expect(await sandbox.balance(EVM_NETWORK, recipient)).toBe(1_500_000n);
  } finally {
    world.stop();
  }
});
