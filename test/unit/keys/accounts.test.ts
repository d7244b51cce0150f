import { base58 } from '@scure/base';
import { HDKey } from 'micro-key-producer/slip10.js';
import { mnemonicToSeedSync } from '@scure/bip39';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { addressOfKey, ed25519PublicKey } from '../../../src/main/adapters/keys/derive.ts';
import type { Wallet } from '../../../src/main/adapters/keys/keys.ts';
import { temporaryFolder } from '../store/fixtures.ts';
import { createMachine } from './fixtures.ts';
import { newPayment, created, use } from '../store/payments.ts';
import { createEscrowStore } from '../../../src/main/adapters/store/escrows.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';

const newMachine = (environment: 'sandbox' | 'testnet' | 'mainnet' = 'mainnet') => createMachine(temporaryFolder(), environment);
const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PASSPHRASE = 'correct horse';
const solanaOf = (index: number) => base58.encode(ed25519PublicKey(HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS)).derive(`m/44'/501'/${index}'/0'`).privateKey));
const evmOf = (index: number) => mnemonicToAccount(WORDS, { addressIndex: index }).address;
const keyOf = (wallet: Wallet, id: string) => wallet.use(id, (key) => Buffer.from(key).toString('hex'));

async function open(environment: 'sandbox' | 'testnet' | 'mainnet' = 'mainnet') {
  const machine = newMachine(environment);
  const wallet = await machine.start();
  await wallet.setPassphrase(PASSPHRASE);
  return { machine, wallet };
}

describe('a restored wallet', () => {
  it('gives other accounts than the wallet that its words come from, or replaces what is here', async () => {
    const { machine, wallet } = await open();
    const before = wallet.accounts();
    const restored = await wallet.importMnemonic({ label: 'Old', words: WORDS });
    expect(restored.map(({ address }) => address)).toEqual([evmOf(0), solanaOf(0)]);
    expect(wallet.accounts()).toEqual([...before, ...restored]);
    const seed = restored[0]!.seed!;
    const more = [
      await wallet.deriveAccount({ namespace: 'eip155', label: 'Second', seed }),
      await wallet.deriveAccount({ namespace: 'solana', label: 'Seventh', seed, index: 7 }),
      await wallet.deriveAccount({ namespace: 'solana', label: 'Next', seed }),
    ];
    expect(more.map(({ address }) => address)).toEqual([evmOf(1), solanaOf(7), solanaOf(1)]);
    const again = await machine.start();
    await again.unlock(PASSPHRASE);
    expect(again.accounts()).toEqual([...before, ...restored, ...more]);
    for (const { id, namespace, address } of again.accounts()) await again.use(id, (key) => expect(addressOfKey(namespace === 'solana' ? 'solana' : 'eip155', key)).toBe(address));
    await expect(again.importMnemonic({ label: 'Twice', words: WORDS })).rejects.toMatchObject({ code: 'KEY_INVALID' });
    await expect(again.deriveAccount({ namespace: 'eip155', label: 'x', seed: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(again.deriveAccount({ namespace: 'eip155', label: 'x', seed, index: 1 })).rejects.toMatchObject({ code: 'KEY_INVALID' });
  });

  it('begins with new words where its own were given at the first set-up (vault)', async () => {
    const machine = newMachine('mainnet');
    machine.keychain.working = false;
    const wallet = await machine.start();
    await expect(wallet.setPassphrase(PASSPHRASE, { words: WORDS.replace('wave', 'waev') })).rejects.toMatchObject({ code: 'MNEMONIC_INVALID' });
    expect(wallet.passphraseSet).toBe(false);
    await wallet.setPassphrase(PASSPHRASE, { words: WORDS });
    expect(wallet.allAccounts().map(({ address, seed }) => [address, seed])).toEqual([[evmOf(0), 'main'], [solanaOf(0), 'main']]);
    expect((await wallet.revealWords({ seed: 'main', passphrase: PASSPHRASE })).join(' ')).toBe(WORDS);
  });

  it('replaces keys that were made before, at the first set-up over a keychain', async () => {
    const machine = newMachine('mainnet');
    const wallet = await machine.start();
    const made = wallet.accounts();
    const seed = machine.keychain.items.get('seed');
    await wallet.setPassphrase(PASSPHRASE, { words: WORDS });
    expect(wallet.accounts().map(({ address }) => address)).toEqual([evmOf(0), solanaOf(0)]);
    expect(machine.keychain.items.get('seed')).toEqual(seed);
    expect(wallet.allAccounts().filter(({ hidden }) => hidden).map(({ address }) => address)).toEqual(made.map(({ address }) => address));
    for (const { id } of made) wallet.setHidden(id, false);
    expect(wallet.accounts().slice(0, 2)).toEqual(made);
  });
});

describe('what is shown to the owner alone', () => {
  it('shows words or keys without the passphrase, or other ones than pay (I6)', async () => {
    const { wallet } = await open();
    const [evm, solana] = wallet.accounts();
    for (const passphrase of ['', 'wrong']) {
      await expect(wallet.revealWords({ seed: 'main', passphrase })).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
      await expect(wallet.exportKey({ accountId: evm!.id, form: 'hex', passphrase })).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    }
    expect(wallet.seeds()[0]).not.toHaveProperty('revealedAt');
    const words = await wallet.revealWords({ seed: 'main', passphrase: PASSPHRASE });
    expect(words).toHaveLength(12);
    expect(mnemonicToAccount(words.join(' ')).address).toBe(evm!.address);
    expect(wallet.seeds()).toEqual([expect.objectContaining({ id: 'main', words: 12, revealedAt: expect.any(Number) })]);

    expect(await wallet.exportKey({ accountId: evm!.id, form: 'hex', passphrase: PASSPHRASE })).toBe(`0x${await keyOf(wallet, evm!.id)}`);
    const keypair = JSON.parse(await wallet.exportKey({ accountId: solana!.id, form: 'keypair', passphrase: PASSPHRASE })) as number[];
    expect(base58.encode(Uint8Array.from(keypair.slice(32)))).toBe(solana!.address);
    expect(base58.decode(await wallet.exportKey({ accountId: solana!.id, form: 'base58', passphrase: PASSPHRASE }))).toEqual(Uint8Array.from(keypair));
    await expect(wallet.exportKey({ accountId: evm!.id, form: 'keypair', passphrase: PASSPHRASE })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    wallet.lock();
    await expect(wallet.revealWords({ seed: 'main', passphrase: PASSPHRASE })).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
  });

  it('shows a secret where no passphrase was ever set', async () => {
    const wallet = await newMachine('sandbox').start();
    await expect(wallet.revealWords({ seed: 'main', passphrase: '' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('accounts', () => {
  it('lets a watched address sign, or keeps it beside the key that is imported for it', async () => {
    const { wallet } = await open();
    const key = '11'.repeat(32);
    const address = addressOfKey('eip155', Buffer.from(key, 'hex'));
    const watched = wallet.watch({ namespace: 'eip155', label: 'Cold', address: address.toLowerCase() });
    expect(watched).toMatchObject({ address, source: 'watch' });
    await expect(keyOf(wallet, watched.id)).rejects.toMatchObject({ code: 'ACCOUNT_MISSING' });
    await expect(wallet.exportKey({ accountId: watched.id, form: 'hex', passphrase: PASSPHRASE })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(() => wallet.watch({ namespace: 'eip155', label: 'Cold', address })).toThrow(expect.objectContaining({ code: 'KEY_INVALID' }));
    const imported = await wallet.importAccount({ namespace: 'eip155', label: 'Hot', secret: key });
    expect(wallet.accounts().filter((account) => account.address === address)).toEqual([imported]);
    expect(await keyOf(wallet, imported.id)).toBe(key);
  });

  it.each([
    ['eip155', '0x70997970C51812dc3A010C7d01b50e0d17dc79c8'],
    ['eip155', '0x70997970'],
    ['eip155', ''],
    ['solana', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    ['solana', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3'],
    ['solana', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpq0'],
  ] as const)('watches an address of %s that is none: %s', async (namespace, address) => {
    const wallet = await newMachine().start();
    expect(() => wallet.watch({ namespace, label: 'x', address })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  it('forgets a key without the passphrase, one of a seed, one that was not meant, or one whose money can still move', async () => {
    const { machine, wallet } = await open();
    const account = await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: '11'.repeat(32) });
    const request = { accountId: account.id, confirm: account.address, passphrase: PASSPHRASE };
    await expect(wallet.remove({ ...request, passphrase: 'wrong' })).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    await expect(wallet.remove({ ...request, confirm: wallet.accounts()[0]!.address })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const own = wallet.accounts()[0]!;
    await expect(wallet.remove({ ...request, accountId: own.id, confirm: own.address })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const journal = createJournal(machine.db, { now: () => 1_700_000_000_000 });
    const payment = newPayment('p1');
    journal.atomically((tx) => tx.insert({ ...payment, terms: { ...payment.terms!, payer: account.address } }, [use(7n)], created));
    await expect(wallet.remove(request)).rejects.toMatchObject({ code: 'ACCOUNT_IN_USE' });
    expect(() => wallet.setHidden(account.id, true)).toThrow(expect.objectContaining({ code: 'ACCOUNT_IN_USE' }));
    expect(await keyOf(wallet, account.id)).toBe('11'.repeat(32));
    journal.atomically((tx) => tx.change('p1', { money: 'none', decision: 'cancelled', service: 'refused' }, created, { release: true }));
    await wallet.remove(request);
    expect(wallet.allAccounts().map(({ id }) => id)).not.toContain(account.id);
    expect([...machine.keychain.items.keys()]).not.toContain(`account:${account.id}`);
    await expect(keyOf(wallet, account.id)).rejects.toMatchObject({ code: 'ACCOUNT_MISSING' });
  });

  it('forgets the key of an account to which unclaimed money comes back', async () => {
    const { machine, wallet } = await open();
    const account = await wallet.importAccount({ namespace: 'eip155', label: 'Old', secret: '11'.repeat(32) });
    const request = { accountId: account.id, confirm: account.address, passphrase: PASSPHRASE };
    const clock = { now: () => 1_700_000_000_000 };
    const journal = createJournal(machine.db, clock);
    const escrows = createEscrowStore(machine.db, clock, wallet.sealer);
    const payment = newPayment('p1');
    const { network, asset } = payment.terms!;
    const address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
    const { id } = await escrows.insert({ id: 'esc_1', keyIndex: '1/2', orderKey: 'k', network, asset, units: baseUnits(7n), address, expiresAt: 1 }, { recipient: { kind: 'email', to: 'ada@example.org', name: '' }, memo: '' });
    journal.atomically((tx) => {
      tx.insert({ ...payment, dialect: 'order', terms: { ...payment.terms!, dialect: 'order', payer: account.address, payee: address } }, [use(7n)], created);
      tx.change('p1', { decision: 'approved', money: 'outstanding', proofText: '{}', track: { nonce: '1' }, outstandingUntil: 1 }, created);
      tx.change('p1', { money: 'settled', service: 'delivered', transaction: '0x1', final: true }, created);
    });
    escrows.change(id, { state: 'notified' });
    await expect(wallet.remove(request)).rejects.toMatchObject({ code: 'ACCOUNT_IN_USE', message: expect.stringContaining('may come back') });
    expect(await keyOf(wallet, account.id)).toBe('11'.repeat(32));
    escrows.change(id, { state: 'refunded' });
    await wallet.remove(request);
    expect(wallet.allAccounts().map((one) => one.id)).not.toContain(account.id);
  });

  it('leaves a restored seed or one of its accounts behind, or takes away the wallet’s own', async () => {
    const { machine, wallet } = await open();
    const [first] = await wallet.importMnemonic({ label: 'Old', words: WORDS });
    const request = { seed: first!.seed!, confirm: 'Old', passphrase: PASSPHRASE };
    await expect(wallet.removeSeed({ ...request, seed: 'main' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(wallet.removeSeed({ ...request, confirm: 'New' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(wallet.removeSeed({ ...request, passphrase: 'wrong' })).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    expect(wallet.accounts()).toHaveLength(4);
    await wallet.removeSeed(request);
    expect(wallet.allAccounts()).toHaveLength(2);
    expect(wallet.seeds().map(({ id }) => id)).toEqual(['main']);
    expect([...machine.keychain.items.keys()].filter((item) => item.startsWith('seed:'))).toEqual([]);
  });

  it('pays from a row that was pointed at another path of a restored seed', async () => {
    const { machine, wallet } = await open();
    const [first] = await wallet.importMnemonic({ label: 'Old', words: WORDS });
    const { db } = machine;
    db.prepare("UPDATE accounts SET path = 'm/44''/60''/0''/0/5' WHERE id = ?").run(first!.id);
    wallet.lock();
    await expect(wallet.unlock(PASSPHRASE)).rejects.toThrow(/another wallet/);
  });

  it('keeps a name or a hidden account only until the next start', async () => {
    const { machine, wallet } = await open();
    const [evm, solana] = wallet.accounts();
    expect(wallet.rename(evm!.id, 'Groceries')).toMatchObject({ label: 'Groceries' });
    wallet.setHidden(solana!.id, true);
    expect((await machine.start()).allAccounts().map(({ label, hidden }) => [label, hidden])).toEqual([['Groceries', undefined], ['Solana account', true]]);
    expect(() => wallet.rename('nobody', 'x')).toThrow();
  });
});
