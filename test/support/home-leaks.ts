import { existsSync, readFileSync } from 'node:fs';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { homePaths } from '../../src/main/adapters/home/home.ts';
import { derivationPath, derivePrivateKey, ed25519PublicKey, entropyOf } from '../../src/main/adapters/keys/derive.ts';
import type { SecretItem } from '../../src/main/adapters/keys/secret-store.ts';
import { readVault } from '../../src/main/adapters/keys/vault-file.ts';
import { createVault } from '../../src/main/adapters/keys/vault.ts';
import { canaryOfBytes, canaryOfWords, filesBelow, found, processesBelow, type Canary } from './canary.ts';

/** Bytes that left a program, and where they were seen. */
interface Seen {
  readonly where: string;
  readonly bytes: Buffer;
}

/** Tests alone: the homes of benches and soaks are too large to be read. */
const IS_TEST = process.env['VITEST'] !== undefined || process.env['TEST_WORKER_INDEX'] !== undefined;
/** Commands that show the owner a secret, as they are meant to. */
const SHOWS_SECRETS = /^(?:reveal|export)$/;

const KEY_BYTES = 32;

const outputs = new Map<string, Seen[]>();
/** By the bytes of a vault: opening one is slow on purpose. */
const opened = new Map<string, readonly Canary[]>();

/** Passphrases that owners set, by home. */
const passphrases = new Map<string, Set<string>>();
/** A shorter one stands in any text by chance. */
const SHORTEST_PASSPHRASE = 8;

/** Keeps the passphrase that the owner of a home gives: it opens their vault for the search, and is searched for itself. */
export function noteOwner(home: string, passphrase: string): void {
  if (!IS_TEST || passphrase.length < SHORTEST_PASSPHRASE) return;
  passphrases.set(home, (passphrases.get(home) ?? new Set<string>()).add(passphrase));
}

/** Keeps what a program printed, until its home is looked through. */
export function noteOutput(home: string, where: string, bytes: Uint8Array | string): void {
  if (!IS_TEST) return;
  const seen = outputs.get(home) ?? [];
  outputs.set(home, seen);
  seen.push({ where, bytes: Buffer.from(bytes as string) });
}

/** The same for a command of the command line, which names its home. */
export function noteCommand(args: readonly string[], text: string): void {
  const home = args[args.indexOf('--home') + 1];
  if (args.includes('--home') && home !== undefined && !args.some((word) => SHOWS_SECRETS.test(word))) noteOutput(home, `bursar ${args.join(' ')}`, text);
}

/** Environment and command line of an application and of what it started, as they are now. */
export function noteProcesses(home: string, pid: number): void {
  if (!IS_TEST || process.platform !== 'linux') return;
  for (const { path, bytes } of processesBelow(pid)) noteOutput(home, path, bytes);
}

/**
 * I6, for every application that a test starts: throws where a key, its words or the key of the database stands in a file of its home, in what it printed,
 * in what commands on that home printed, or in the environment of a process. The secrets are those of the home itself, which on play money anyone can open: the
 * passphrase lies beside the vault. A vault under the passphrase of its owner is opened by what {@link noteOwner} was told.
 */
export async function expectNoLeak(home: string): Promise<void> {
  if (!IS_TEST) return;
  const given = [...(passphrases.get(home) ?? [])];
  const canaries = [...(await canariesOf(home, given)), ...given.map((text) => ({ name: 'passphrase of the owner', needles: [Buffer.from(text)] }))];
  const seen = [...(outputs.get(home) ?? []), ...(existsSync(home) ? filesBelow(home) : []).map(({ path, bytes }) => ({ where: path, bytes }))];
  outputs.delete(home);
  const leaks = seen.flatMap(({ where, bytes }) => found(canaries, bytes).map((name) => `${name} in ${where}`));
  if (leaks.length > 0) throw new Error(`I6: a secret got out: ${leaks.join('; ')}`);
}

/** What may stand nowhere; nothing where there is no vault, or nobody said what opens it. */
async function canariesOf(home: string, given: readonly string[]): Promise<readonly Canary[]> {
  const paths = homePaths(home);
  const openers = existsSync(paths.vaultPassphrase) ? [readFileSync(paths.vaultPassphrase, 'utf8').trim()] : given;
  if (!existsSync(paths.vault) || openers.length === 0) return [];
  const bytes = readFileSync(paths.vault, 'utf8');
  const known = opened.get(bytes);
  if (known) return known;
  const vault = createVault(paths.vault);
  let isOpen = false;
  // Some tests damage their vault on purpose, and some give wrong passphrases.
  for (const opener of openers) isOpen ||= await vault.unlock(opener).catch(() => false);
  if (!isOpen) return [];
  try {
    const canaries: Canary[] = [];
    for (const item of Object.keys(readVault(paths.vault).items) as SecretItem[]) {
      const secret = await vault.get(item);
      if (secret) canaries.push(...canariesOfItem(item, secret));
    }
    opened.set(bytes, canaries);
    return canaries;
  } finally {
    vault.lock();
  }
}

function canariesOfItem(item: SecretItem, secret: Uint8Array): readonly Canary[] {
  if (item === 'seed' || item.startsWith('seed:')) {
    const solana = derivePrivateKey(secret, 'solana', derivationPath('solana', 0));
    return [
      canaryOfWords(`words of ${item}`, entropyToMnemonic(entropyOf(secret), wordlist).split(' ')),
      canaryOfBytes(`entropy of ${item}`, entropyOf(secret)),
      canaryOfBytes(item, secret.subarray(entropyOf(secret).length)),
      canaryOfBytes(`EVM key of ${item}`, derivePrivateKey(secret, 'eip155', derivationPath('eip155', 0))),
      canaryOfBytes(`Solana key of ${item}`, solana, Buffer.concat([solana, ed25519PublicKey(solana)])),
    ];
  }
  // A shorter one is what the sandbox shares with everyone who buys by `dev-signature`: a public word.
  if (item === 'data-key' || (item.startsWith('account:') && secret.length >= KEY_BYTES)) return [canaryOfBytes(item, secret)];
  // What is left tells nobody a key: the ledger's last state, and how a passphrase is checked.
  return [];
}
