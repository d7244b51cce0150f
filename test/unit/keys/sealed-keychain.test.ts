import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restoreBackup, verifyBackup } from '../../../src/main/adapters/backup/restore-backup.ts';
import { createAttempts } from '../../../src/main/adapters/keys/passphrase.ts';
import { temporaryFolder } from '../store/fixtures.ts';
import { everything, fill, life, PASSPHRASE } from './backup-life.ts';
import { createMachine, memoryKeychain, type MemoryKeychain } from './fixtures.ts';
import type { Wallet } from '../../../src/main/adapters/keys/keys.ts';

const KEY = '11'.repeat(32);
const keysOf = (wallet: Wallet) => Promise.all(wallet.accounts().map(({ id }) => wallet.use(id, (key) => Buffer.from(key).toString('hex'))));

async function filled() {
  const machine = createMachine(temporaryFolder(), 'mainnet');
  const wallet = await machine.start();
  await wallet.setPassphrase(PASSPHRASE);
  await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: KEY });
  await wallet.importMnemonic({ label: 'Restored', words: 'legal winner thank year wave sausage worth useful legal winner thank yellow' });
  return { machine, wallet, keys: await keysOf(wallet) };
}

const plainItems = ({ items }: MemoryKeychain) => [...items].filter(([name, bytes]) => name !== 'seal' && !Buffer.from(bytes).toString('latin1').startsWith('bursar sealed')).map(([name]) => name);

describe('keys in a keychain under a passphrase too', () => {
  it('open without the passphrase, or with it and no longer the same', async () => {
    const { machine, wallet, keys } = await filled();
    await expect(wallet.seal('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    expect(wallet.sealed).toBe(false);
    await wallet.seal(PASSPHRASE);
    expect(plainItems(machine.keychain)).toEqual([]);
    expect([...machine.keychain.items.values()].some((bytes) => Buffer.from(bytes).includes(Buffer.from(KEY, 'hex')))).toBe(false);
    expect(await keysOf(wallet)).toEqual(keys);

    const again = await machine.start();
    expect(again).toMatchObject({ locked: true, sealed: true, passphraseSet: true, backend: 'keychain' });
    await expect(keysOf(again)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    await expect(again.unlock('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    await again.unlock(PASSPHRASE);
    expect(await keysOf(again)).toEqual(keys);
    const later = await again.importAccount({ namespace: 'eip155', label: 'Later', secret: '12'.repeat(32) });
    expect(plainItems(machine.keychain)).toEqual([]);
    again.lock();
    await expect(again.use(later.id, () => 1)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    await again.verifyPassphrase(PASSPHRASE);
    expect(again.locked).toBe(true);
    await expect(again.readItem('seed')).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
  });

  it('are lost where the sealing is cut short at any write, or stay open after the next unlock', async () => {
    for (let writes = 0; ; writes += 1) {
      const { machine, wallet, keys } = await filled();
      const { set } = machine.keychain;
      let left = writes;
      machine.keychain.set = async (item, secret) => {
        if (left-- <= 0) throw new Error('power cut');
        await set(item, secret);
      };
      const done = await wallet.seal(PASSPHRASE).then(() => true, () => false);
      machine.keychain.set = set;
      const again = await machine.start();
      if (again.locked) await again.unlock(PASSPHRASE);
      expect(await keysOf(again)).toEqual(keys);
      if (writes > 0) expect([writes, plainItems(machine.keychain)]).toEqual([writes, []]);
      if (done) return expect(writes).toBe(5);
    }
  });

  it('are replaced, or taken for another key, when an item was changed, moved or its seal is gone', async () => {
    const { machine, wallet } = await filled();
    await wallet.seal(PASSPHRASE);
    const { items } = machine.keychain;
    const seal = items.get('seal')!;
    items.delete('seal');
    await expect(machine.start()).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE', context: { item: 'seal' } });
    items.set('seal', seal);
    const seed = items.get('seed')!;
    items.set('seed', items.get('data-key')!);
    await expect((await machine.start()).unlock(PASSPHRASE)).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE', context: { item: 'seed' } });
    items.set('seed', seed);
    await (await machine.start()).unlock(PASSPHRASE);
  });

  it('come out of a backup without the passphrase over them', async () => {
    const root = temporaryFolder();
    const keychains = new Map<string, MemoryKeychain>();
    const keychain = (homeId: string) => keychains.get(homeId) ?? keychains.set(homeId, memoryKeychain()).get(homeId)!;
    const from = { folder: join(root, 'old'), environment: 'testnet', keychain } as const;
    const path = join(root, 'all.backup');
    const before = await life(from, async (running) => {
      await fill(running);
      await running.wallet.seal(PASSPHRASE);
      await running.backup(path);
      return everything(running);
    });
    const folder = join(root, 'new');
    await restoreBackup({ backup: await verifyBackup(path, PASSPHRASE, createAttempts()), path, folder, passphrase: PASSPHRASE, keychain, cost: 2 ** 10 });
    for (const each of keychains.values()) expect(plainItems(each)).toEqual([]);
    await life({ ...from, folder }, async (running) => {
      expect(running.wallet.sealed).toBe(true);
      expect(await everything(running)).toEqual(before);
    });
  });
});
