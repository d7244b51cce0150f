import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, it } from 'vitest';
import { addressOfKey, createSeed } from '../../../src/main/adapters/keys/derive.ts';
import type { Wallet } from '../../../src/main/adapters/keys/keys.ts';
import { createVault } from '../../../src/main/adapters/keys/vault.ts';
import { temporaryFolder } from '../store/fixtures.ts';
import { createMachine } from './fixtures.ts';

const newMachine = (environment: 'sandbox' | 'mainnet') => createMachine(temporaryFolder(), environment);
const addresses = (wallet: Wallet) => wallet.accounts().map(({ address }) => address);
const evmKey = '11'.repeat(32);

/** The private keys as `work` sees them. */
const keysOf = (wallet: Wallet) => Promise.all(wallet.accounts().map(({ id }) => wallet.use(id, (key) => Buffer.from(key).toString('hex'))));

describe('wallet in a keychain', () => {
  it('makes other accounts after a restart, or keys that do not fit them', async () => {
    const machine = newMachine('mainnet');
    const wallet = await machine.start();
    expect(wallet).toMatchObject({ backend: 'keychain', locked: false, passphraseSet: false, passphraseBeside: false });
    expect(wallet.accounts().map(({ namespace, source }) => [namespace, source])).toEqual([['eip155', 'seed'], ['solana', 'seed']]);
    for (const { id, namespace, address } of wallet.accounts()) await wallet.use(id, (key) => expect(addressOfKey(namespace === 'solana' ? namespace : 'eip155', key)).toBe(address));
    const before = wallet.accounts();
    expect((await machine.start()).accounts()).toEqual(before);
    expect(machine.home.config().keys).toEqual({ backend: 'keychain', created: true });
  });

  it('lends the key of an account for an escrow, the same for two, another after a restart, or any while locked', async () => {
    const machine = newMachine('mainnet');
    const wallet = await machine.start();
    const own = await keysOf(wallet);
    const hexOf = (from: Wallet, namespace: 'eip155' | 'solana', index: string) => from.useEscrow(namespace, index, (key) => Buffer.from(key).toString('hex'));
    const places = [['eip155', '0/0'], ['eip155', '0/1'], ['eip155', '1/0'], ['solana', '0/0'], ['solana', '2147483647/2147483647']] as const;
    const keys = await Promise.all(places.map(([namespace, index]) => hexOf(wallet, namespace, index)));
    expect(new Set([...keys, ...own]).size).toBe(keys.length + own.length);
    const again = await machine.start();
    expect(await Promise.all(places.map(([namespace, index]) => hexOf(again, namespace, index)))).toEqual(keys);
    const lent = await again.useEscrow('eip155', '0/0', (key) => key);
    expect([...lent].every((byte) => byte === 0)).toBe(true);
    for (const index of ['', '1', '-1/0', "1'/0", '1/2/3', '2147483648/0']) await expect(again.useEscrow('eip155', index, () => {})).rejects.toThrow();
    await again.setPassphrase('correct horse battery');
    again.lock();
    await expect(again.useEscrow('eip155', '0/0', () => {})).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
  });

  it('goes over to a vault, or to new keys, when the keychain fails later', async () => {
    const machine = newMachine('mainnet');
    await machine.start();
    machine.keychain.working = false;
    await expect(machine.start()).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE' });
    expect(readdirSync(machine.folder)).not.toContain('vault.json');
    machine.keychain.working = true;
    for (const item of ['seed', 'data-key']) {
      const secret = machine.keychain.items.get(item)!;
      machine.keychain.items.delete(item);
      await expect(machine.start()).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE', context: { item } });
      expect(machine.keychain.items.has(item)).toBe(false);
      machine.keychain.items.set(item, secret);
    }
    machine.keychain.items.set('seed', createSeed());
    await expect(machine.start()).rejects.toThrow(/another wallet/);
  });

  it('makes a second seed when the first run was cut short', async () => {
    const machine = newMachine('mainnet');
    const first = addresses(await machine.start());
    machine.home.update({ keys: { backend: 'keychain', created: false } });
    expect(addresses(await machine.start())).toEqual(first);
  });

  it('signs while locked, or unlocks with another passphrase', async () => {
    const machine = newMachine('mainnet');
    let wallet = await machine.start();
    expect(() => wallet.lock()).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    await expect(wallet.unlock('x')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await wallet.setPassphrase('correct horse');
    await expect(wallet.setPassphrase('another one')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    wallet = await machine.start();
    expect(wallet.passphraseSet).toBe(true);
    wallet.lock();
    const [account] = wallet.accounts();
    await expect(wallet.use(account!.id, () => 1)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    await expect(wallet.sealer.seal('x', 'c')).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    await expect(wallet.unlock('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    expect(wallet.locked).toBe(true);
    await wallet.verifyPassphrase('correct horse');
    expect(wallet.locked).toBe(true);
    await wallet.unlock('correct horse');
    expect(await wallet.use(account!.id, () => 1)).toBe(1);
    await expect(wallet.verifyPassphrase('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    expect(wallet.locked).toBe(false);
  });

  it('hands out a key after the owner locked', async () => {
    const machine = newMachine('mainnet');
    const wallet = await machine.start();
    await wallet.setPassphrase('correct horse');
    const use = wallet.use(wallet.accounts()[0]!.id, () => 'signed');
    wallet.lock();
    await expect(use).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    const unlock = wallet.unlock('correct horse').catch((error: unknown) => error);
    machine.keychain.get = async (item) => {
      if (item === 'data-key') wallet.lock();
      return Uint8Array.from(machine.keychain.items.get(item)!);
    };
    expect(await unlock).toMatchObject({ code: 'WALLET_LOCKED' });
    expect(wallet.locked).toBe(true);
  });

  it('leaves the key in memory after its use, also a failed one', async () => {
    const wallet = await newMachine('mainnet').start();
    for (const { id } of wallet.accounts()) {
      const seen: Uint8Array[] = [];
      await wallet.use(id, (key) => seen.push(key));
      await expect(
        wallet.use(id, async (key) => {
          seen.push(key);
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(seen.map((key) => [...key].some(Boolean))).toEqual([false, false]);
    }
    await expect(wallet.use('nobody', () => 1)).rejects.toMatchObject({ code: 'ACCOUNT_MISSING' });
  });

  it('loses an imported key, takes one twice, or gives it to another account', async () => {
    const machine = newMachine('mainnet');
    let wallet = await machine.start();
    const seed = new Uint8Array(32).fill(5);
    const evm = await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: evmKey });
    const solana = await wallet.importAccount({ namespace: 'solana', label: 'Old', secret: base58.encode(seed) });
    expect(evm).toMatchObject({ label: 'Old', namespace: 'eip155', source: 'imported', address: addressOfKey('eip155', Buffer.from(evmKey, 'hex')) });
    await expect(wallet.importAccount({ namespace: 'eip155', label: 'Again', secret: `0x${evmKey}` })).rejects.toMatchObject({ code: 'KEY_INVALID' });
    wallet = await machine.start();
    expect((await keysOf(wallet)).slice(2)).toEqual([evmKey, '05'.repeat(32)]);
    expect(wallet.accounts().slice(2)).toEqual([evm, solana]);
    machine.keychain.items.delete(`account:${evm.id}`);
    await expect(wallet.use(evm.id, () => 1)).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE' });
  });
});

describe('wallet in a vault', () => {
  it('asks for a passphrase on play money', async () => {
    const machine = newMachine('sandbox');
    machine.keychain.working = false;
    const wallet = await machine.start();
    expect(wallet).toMatchObject({ backend: 'vault', locked: false, passphraseSet: false, passphraseBeside: true });
    const keys = await keysOf(wallet);
    machine.keychain.working = true;
    const again = await machine.start();
    expect(again.backend).toBe('vault');
    expect(await keysOf(again)).toEqual(keys);
    if (process.platform !== 'win32') expect(statSync(machine.home.paths.vaultPassphrase).mode & 0o777).toBe(0o600);
    await again.setPassphrase('correct horse');
    again.lock();
    await expect(keysOf(again)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    await expect(again.unlock('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    await again.unlock('correct horse');
    expect(await keysOf(again)).toEqual(keys);
  });

  it('makes new keys when the vault or its passphrase vanished', async () => {
    const machine = newMachine('sandbox');
    machine.keychain.working = false;
    await machine.start();
    const { vault, vaultPassphrase } = machine.home.paths;
    const passphrase = readFileSync(vaultPassphrase);
    writeFileSync(vaultPassphrase, 'another');
    await expect(machine.start()).rejects.toMatchObject({ code: 'VAULT_CORRUPT' });
    rmSync(vaultPassphrase);
    await expect(machine.start()).rejects.toMatchObject({ code: 'VAULT_CORRUPT' });
    writeFileSync(vaultPassphrase, passphrase);
    rmSync(vault);
    await expect(machine.start()).rejects.toMatchObject({ code: 'VAULT_CORRUPT', message: expect.stringContaining('is missing') });
    expect(readdirSync(machine.folder)).not.toContain('vault.json');
  });

  it('has keys of real money before the owner chose a passphrase, or opens without it', async () => {
    const machine = newMachine('mainnet');
    machine.keychain.working = false;
    let wallet = await machine.start();
    expect(wallet).toMatchObject({ backend: 'vault', locked: true, passphraseSet: false, passphraseBeside: false });
    expect(wallet.accounts()).toEqual([]);
    await expect(wallet.use('x', () => 1)).rejects.toThrow(/until the owner sets a passphrase/);
    await wallet.setPassphrase('correct horse');
    expect(wallet).toMatchObject({ locked: false, passphraseSet: true });
    const keys = await keysOf(wallet);
    expect(readdirSync(machine.folder)).not.toContain('vault.passphrase');

    machine.keychain.working = true;
    wallet = await machine.start();
    expect(wallet).toMatchObject({ backend: 'vault', locked: true, passphraseSet: true });
    expect(wallet.accounts()).toHaveLength(2);
    await expect(wallet.unlock('wrong')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    await wallet.unlock('correct horse');
    expect(await keysOf(wallet)).toEqual(keys);
    wallet.lock();
    await wallet.verifyPassphrase('correct horse');
    await expect(keysOf(wallet)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    rmSync(machine.home.paths.vault);
    machine.stop();
    await expect(machine.start()).rejects.toMatchObject({ code: 'VAULT_CORRUPT' });
  });

  it('stays with a vault that was never made once the keychain works', async () => {
    const machine = newMachine('mainnet');
    machine.keychain.working = false;
    expect((await machine.start()).backend).toBe('vault');
    machine.keychain.working = true;
    expect((await machine.start()).backend).toBe('keychain');
  });
});

describe('sealer', () => {
  it('opens what was sealed for something else, by another wallet, or changed', async () => {
    const machine = newMachine('mainnet');
    const { sealer } = await machine.start();
    const sealed = await sealer.seal('canary', 'upstream:a');
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('canary');
    expect(await sealer.seal('canary', 'upstream:a')).not.toEqual(sealed);
    expect(await (await machine.start()).sealer.open(sealed, 'upstream:a')).toBe('canary');
    const changed = Uint8Array.from(sealed);
    changed[14]! ^= 1;
    const { sealer: other } = await newMachine('mainnet').start();
    for (const attempt of [sealer.open(sealed, 'upstream:b'), sealer.open(changed, 'upstream:a'), sealer.open(sealed.subarray(0, 9), 'upstream:a'), other.open(sealed, 'upstream:a')]) {
      await expect(attempt).rejects.toMatchObject({ code: 'DATABASE_CORRUPT' });
    }
  });
});

it('writes a key, the entropy, the words or a passphrase anywhere but into vault and keychain (I6)', async () => {
  const machine = newMachine('sandbox');
  machine.keychain.working = false;
  const wallet = await machine.start();
  await wallet.setPassphrase('canary passphrase');
  await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: evmKey });
  const keys = await keysOf(wallet);
  const failure = await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: `${evmKey}ff` }).catch((error: unknown) => error);
  const { folder } = machine;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  expect(files.map((path) => path.slice(folder.length + 1))).toContain('bursar.db');
  const texts = [...files.map((path) => readFileSync(path).toString('latin1')), `${String(failure)}${JSON.stringify(failure)}`];
  const vault = createVault(machine.home.paths.vault);
  expect(await vault.unlock(readFileSync(machine.home.paths.vaultPassphrase, 'utf8').trim())).toBe(true);
  const seed = Buffer.from((await vault.get('seed'))!);
  const items = [seed.subarray(0, 16), seed.subarray(16), (await vault.get('data-key'))!, ...keys.map((key) => Buffer.from(key, 'hex'))].map((item) => Buffer.from(item));
  const secrets = items.flatMap((item) => [item.toString('hex'), item.toString('base64'), item.toString('latin1'), base58.encode(item)]);
  const words = entropyToMnemonic(seed.subarray(0, 16), wordlist);
  for (const text of texts) for (const secret of [...secrets, words, 'canary passphrase']) expect(text).not.toContain(secret);
});
