import { expect, it } from 'vitest';
import type { LedgerKeys } from '../../../src/main/adapters/keys/ledger-keys.ts';
import { temporaryFolder } from '../store/fixtures.ts';
import { createMachine } from './fixtures.ts';

const epoch = Buffer.alloc(16, 1);

it('gives the ledger another key after a restart, the same one for two runs, or the one of another wallet', async () => {
  const machine = createMachine(temporaryFolder(), 'sandbox');
  const keyOf = ({ ledger }: { ledger: LedgerKeys }, run = epoch) => ledger.epochKey(run).export();
  const key = keyOf(await machine.start());
  expect(key).toHaveLength(32);
  const again = await machine.start();
  expect(keyOf(again)).toEqual(key);
  expect(keyOf(again, Buffer.alloc(16, 2))).not.toEqual(key);
  expect(keyOf(await createMachine(temporaryFolder(), 'sandbox').start())).not.toEqual(key);
});

it('forgets what the ledger noted, or gives it out while locked', async () => {
  const machine = createMachine(temporaryFolder(), 'mainnet');
  const wallet = await machine.start();
  expect(await wallet.ledger.readAnchor()).toBeUndefined();
  await wallet.ledger.writeAnchor(Buffer.from('noted'));
  await wallet.setPassphrase('correct horse');
  wallet.lock();
  await expect(wallet.ledger.readAnchor()).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
  await expect(wallet.ledger.writeAnchor(Buffer.from('x'))).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
  expect(() => wallet.ledger.epochKey(epoch)).toThrow(expect.objectContaining({ code: 'WALLET_LOCKED' }));
  const again = await machine.start();
  expect(Buffer.from((await again.ledger.readAnchor())!).toString()).toBe('noted');
});
