import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock as clock } from '../../../src/main/adapters/clock.ts';
import { readClaimLink } from '../../../src/shared/escrow/claim-link.ts';
import { SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openDelegator } from '../../matrix/delegator.ts';
import { createOwner, startEscrowWorld } from '../../support/escrow-world.ts';
import { chainsOf, signal } from '../rails/shop.ts';

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await startSandbox({ slotMs: 40 });
  folder = mkdtempSync(join(tmpdir(), 'bursar-escrow-delegate-'));
});
afterAll(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what an account sent of another wallet’s tokens, and nobody claimed, comes to an account where nobody sees it', async () => {
  const plain = await createOwner();
  const agent = plain.accounts[1]!;
  await sandbox.fund({ network: SOLANA_NETWORK, address: agent.address, gas: true });
  const wallet = await openDelegator({ solana: sandbox.solana, fund: (address, usdc) => sandbox.fund({ network: SOLANA_NETWORK, address, usdc, gas: true }) }, agent.address);
  const accounts = [plain.accounts[0]!, { ...agent, delegatedFrom: wallet }];
  const chains = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } }, { delegatedFrom: (address) => accounts.find((one) => one.address === address)?.delegatedFrom });
  const world = startEscrowWorld({ path: join(folder, 'bursar.db'), owner: { accounts, keys: { ...plain.keys, accounts: () => accounts } }, chains, facilitators: [sandbox.facilitatorUrl], clock });
  try {
    const before = await sandbox.balance(SOLANA_NETWORK, wallet);
    const sent = await world.send({ network: SOLANA_NETWORK });
    if (sent.kind !== 'sent') throw new Error(`not sent: ${JSON.stringify(sent)}`);
    expect(await sandbox.balance(SOLANA_NETWORK, wallet)).toBe(before - 1_500_000n);
    expect(readClaimLink((await world.message(sent.escrow.id)).link).sender).toBe(wallet);

    await world.refund(sent.escrow.id, signal);
    expect([await sandbox.balance(SOLANA_NETWORK, wallet), await sandbox.balance(SOLANA_NETWORK, agent.address)]).toEqual([before, 0n]);
  } finally {
    world.stop();
    chains.close();
  }
});
