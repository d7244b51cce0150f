import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSolanaRpc, getBase64EncodedWireTransaction, getBase64Encoder, getTransactionDecoder, signature } from '@solana/kit';
import { createTestClient, http, publicActions } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createOwner, startEscrowWorld } from '../../support/escrow-world.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal } from '../rails/shop.ts';

let sandbox: Sandbox;
let chains: Chains;
let folder: string;

beforeAll(async () => {
  // No block and no slot of its own accord: nothing becomes final before the test says so.
  sandbox = await startSandbox({ faults: true, evmIntervalSeconds: 3600, slotMs: 3_600_000 });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
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

test('I5, I9: a funding on a fork of Solana that lost still counts as paid; or once it lands again, the link that was sent is dead', { timeout: 120_000 }, async () => {
  const owner = await createOwner();
  await sandbox.fund({ network: SOLANA_NETWORK, address: owner.accounts[1]!.address, usdc: 5_000_000n, gas: true });
  sandbox.time.advanceSolana(5);
  const world = startEscrowWorld({ path: join(folder, 'solana.db'), owner, chains, facilitators: [sandbox.facilitatorUrl], clock });
  try {
    const rpc = createSolanaRpc(sandbox.solana.rpcUrl);
    const dropFork = sandbox.faults!.solana.fork();
    const sent = await world.send({ network: SOLANA_NETWORK });
    if (sent.kind !== 'sent') throw new Error('not sent');
    const { id, address } = sent.escrow;
    const { link } = await world.message(id);
    expect(world.store.get(id)).toMatchObject({ state: 'notified' });
    expect(await sandbox.balance(SOLANA_NETWORK, address)).toBe(1_500_000n);
    const landed = await rpc.getTransaction(signature(sent.transaction), { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }).send();

    dropFork();
    expect(await sandbox.balance(SOLANA_NETWORK, address)).toBe(0n);
    await expect.poll(() => world.read('SELECT money FROM payments'), { timeout: 30_000 }).toBe('outstanding');
    await expect(world.message(id)).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('was not paid yet') });
    expect(world.store.get(id)).toMatchObject({ state: 'funding', delivery: 'handed' });
    await expect(world.refund(id, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    // Its blockhash is older than the fork: the same bytes land on the one that won.
    const wire = getBase64EncodedWireTransaction(getTransactionDecoder().decode(getBase64Encoder().encode(landed!.transaction[0])));
    await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    await expect.poll(() => world.read('SELECT money FROM payments'), { timeout: 60_000 }).toBe('settled');
    await world.message(id);
    await world.sweep.run(signal);
    expect(world.store.get(id).state).toBe('notified');
    const { address: recipient } = await solanaAccount(random(32));
    await world.claim(link, recipient, signal);
    expect(await sandbox.balance(SOLANA_NETWORK, recipient)).toBe(1_500_000n);
  } finally {
    world.stop();
  }
});
