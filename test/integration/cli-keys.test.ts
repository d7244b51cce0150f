import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEngine } from '../../src/main/compose.ts';
import { programFiles } from '../../src/main/program-files.ts';
import { runCli } from '../support/app-process.ts';
import { openTerminal } from '../support/terminal.ts';

const PASSPHRASE = 'correct horse battery';
const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

const root = mkdtempSync(join(tmpdir(), 'bursar-cli-keys-'));
const home = join(root, 'home');
const env = { BURSAR_PASSPHRASE_FILE: join(root, 'passphrase') };
const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));
let own: { address: string }[];

/** One command over the folder, with the passphrase in a file as play money allows; the object that it printed. */
const cli = async <T>(args: readonly string[], input = ''): Promise<T> => JSON.parse(await runCli(['--home', home, ...args, '--json'], { input, env })) as T;
const refused = (args: readonly string[], input = '') => runCli(['--home', home, ...args], { input, env }).then(() => 'it worked', String);

beforeAll(async () => {
  writeFileSync(env.BURSAR_PASSPHRASE_FILE, `${PASSPHRASE}\n`);
  const engine = await openEngine({ environment: 'sandbox', home, host: 'headless', files, version: '0', preferVault: true, live: false });
  await engine.router.dispatch('owner.setPassphrase', { passphrase: PASSPHRASE, code: engine.setupCode }, { surface: 'cli', connection: 'c', host: 'headless' });
  own = [...engine.wallet.accounts()];
  await engine.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('an account that was added on the command line is another one, or cannot be changed there', { timeout: 180_000 }, async () => {
  const restored = await cli<{ accounts: { address: string; seed: string }[] }>(['account', 'restore', '--label', 'Old'], `${WORDS}\n`);
  expect(restored.accounts[0]?.address).toBe(mnemonicToAccount(WORDS).address);
  expect(await refused(['account', 'restore', '--label', 'Typo'], WORDS.replace('wave', 'wavve'))).toMatch(/Word 5 is not in the list of BIP-39 words; near it are wave.*MNEMONIC_INVALID/);
  const second = await cli<{ address: string }>(['account', 'new', '--namespace', 'eip155', '--label', 'Second', '--seed', restored.accounts[0]!.seed]);
  expect(second.address).toBe(mnemonicToAccount(WORDS, { addressIndex: 1 }).address);
  await cli(['account', 'watch', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '--namespace', 'eip155', '--label', 'Cold']);
  await cli(['account', 'rename', 'Second', 'Groceries']);
  await cli(['account', 'hide', own[1]!.address]);
  const { accounts } = await cli<{ accounts: { label: string }[] }>(['account', 'list']);
  expect(accounts.map(({ label }) => label)).toEqual(['EVM account', 'Old: EVM account', 'Old: Solana account', 'Groceries', 'Cold']);

  // The order of accounts that are not named stays, and a watched one is not in it.
  await cli(['account', 'limit', 'Groceries', '--max', '0.50']);
  const { policy } = await cli<{ policy: { paying: { accounts: { account: string; max?: object }[] } } }>(['account', 'order', 'Groceries']);
  expect(policy.paying.accounts).toEqual([
    { account: second.address, max: { amount: '0.50', unit: 'USD' } },
    { account: own[0]!.address },
    ...restored.accounts.map(({ address }) => ({ account: address })),
  ]);
  expect(await cli(['lock', '--after', '15'])).toMatchObject({ lockAfterMinutes: 15 });
  expect(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'))).toMatchObject({ lockAfterMinutes: 15 });
});

test('a removed account takes another one with it, or one of a seed can be removed', { timeout: 120_000 }, async () => {
  const { address } = await cli<{ address: string }>(['account', 'import', '--namespace', 'eip155', '--label', 'Gone'], 'd2'.repeat(32));
  expect(await refused(['account', 'remove', own[0]!.address, '--yes'])).toMatch(/FORBIDDEN/);
  await cli(['account', 'remove', 'Gone', '--yes']);
  const { accounts } = await cli<{ accounts: { address: string }[] }>(['account', 'list', '--all']);
  expect(accounts.map((each) => each.address)).not.toContain(address);
  expect(accounts.map((each) => each.address)).toContain(own[0]!.address);
});

test('I6: words or keys go into a pipe or a file', { timeout: 60_000 }, async () => {
  for (const words of [['account', 'reveal'], ['account', 'export', own[0]!.address]]) expect(await refused(words)).toMatch(/shown on a terminal alone.*OWNER_REQUIRED/);
});

test.runIf(process.platform === 'linux')('words are not shown to their owner, or stay in the scrollback', { timeout: 120_000 }, async () => {
  const terminal = openTerminal(['--home', home, 'account', 'reveal']);
  await terminal.saw('Passphrase:');
  terminal.type(`${PASSPHRASE}\r`);
  await terminal.saw('Press Enter to wipe');
  const shown = terminal.printed();
  const [, , screen = ''] = /(\u001b\[\?1049h)([\s\S]*)/.exec(shown) ?? [];
  const words = [...screen.matchAll(/(\d+)\. ([a-z]+)/g)].toSorted((a, b) => Number(a[1]) - Number(b[1])).map(([, , word]) => word);
  expect(words).toHaveLength(12);
  expect(mnemonicToAccount(words.join(' ')).address).toBe(own[0]!.address);
  terminal.type('\r');
  expect(await terminal.exited).toBe(0);
  expect(terminal.printed().slice(shown.length)).toContain('\u001b[?1049l');
});

test.runIf(process.platform === 'linux')('a new folder begins with other words than those of the wallet that its owner restores', { timeout: 120_000 }, async () => {
  // No keychain to be found here: the keys wait for the first passphrase, and the words become the wallet's own.
  const alone = { HOME: join(root, 'user'), XDG_DATA_HOME: '', XDG_RUNTIME_DIR: join(root, 'user'), DBUS_SESSION_BUS_ADDRESS: '' };
  const terminal = openTerminal(['--network', 'testnet', 'passphrase', 'set', '--restore'], alone);
  await terminal.saw('The words of the earlier wallet');
  terminal.type(`${WORDS}\r`);
  for (const question of ['New passphrase', 'The same again']) {
    await terminal.saw(question);
    terminal.type(`${PASSPHRASE}\r`);
  }
  await terminal.saw('The passphrase is set.');
  expect(await terminal.exited).toBe(0);
  expect(terminal.printed()).not.toContain('legal winner');
  const { accounts } = JSON.parse(await runCli(['--network', 'testnet', 'account', 'list', '--json'], { env: { ...alone, ...env } })) as { accounts: { address: string; seed: string }[] };
  expect(accounts.map(({ address, seed }) => [address, seed])[0]).toEqual([mnemonicToAccount(WORDS).address, 'main']);
  expect(accounts).toHaveLength(2);
});

test('a backup does not bring everything back, or goes over a folder that holds something', { timeout: 180_000 }, async () => {
  const before = await cli<{ accounts: object[] }>(['account', 'list', '--all']);
  const policy = await runCli(['--home', home, 'policy', 'show'], { env });
  const path = join(root, 'all.backup');
  const made = await cli<{ path: string; bytes: number }>(['backup', path]);
  expect(made).toMatchObject({ path });
  expect(await cli(['restore', path, '--check'])).toMatchObject({ environment: 'sandbox' });
  expect(await refused(['restore', path])).toMatch(/HOME_NOT_EMPTY/);
  expect(await refused(['--network', 'mainnet', 'restore', path])).toMatch(/HOME_NETWORK_MISMATCH/);

  const restored = join(root, 'restored');
  const wrong = join(root, 'wrong');
  writeFileSync(wrong, 'another one');
  await expect(runCli(['--home', restored, 'restore', path, '--vault'], { env: { BURSAR_PASSPHRASE_FILE: wrong } })).rejects.toThrow('PASSPHRASE_WRONG');
  expect(existsSync(restored)).toBe(false);
  await runCli(['--home', restored, 'restore', path, '--vault'], { env });
  const again = (...args: string[]) => runCli(['--home', restored, ...args], { env });
  const { accounts } = JSON.parse(await again('account', 'list', '--all', '--json')) as { accounts: object[] };
  expect(accounts).toEqual(before.accounts);
  await expect(again('ledger', 'verify')).rejects.toThrow('ended with 1');
  expect(await again('ledger', 'accept')).toContain('Accepted.');
  // Nothing was changed from outside: the owner's limits stay.
  expect(await again('policy', 'show')).toBe(policy);
  expect(policy).toContain('paying');
  expect(await again('ledger', 'verify')).toContain('All as Bursar wrote it.');
});
