import { expect, it } from 'vitest';
import { temporaryFolder } from '../store/fixtures.ts';
import { createMachine } from './fixtures.ts';

const epoch = Buffer.alloc(16, 1);

it('gives the ledger another key after a restart, the same one for two runs, or the one of another wallet', async () => {
  const machine = createMachine(temporaryFolder(), 'sandbox');
  const key = (await machine.start()).ledger.epochKey(epoch);
  expect(key).toHaveLength(32);
  const again = await machine.start();
  expect(again.ledger.epochKey(epoch)).toEqual(key);
  expect(again.ledger.epochKey(Buffer.alloc(16, 2))).not.toEqual(key);
  expect((await createMachine(temporaryFolder(), 'sandbox').start()).ledger.epochKey(epoch)).not.toEqual(key);
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
