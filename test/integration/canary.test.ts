import { createCipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { base58 } from '@scure/base';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeed, derivationPath, derivePrivateKey, ed25519PublicKey } from '../../src/main/adapters/keys/derive.ts';
import { createVault } from '../../src/main/adapters/keys/vault.ts';
import { homePaths } from '../../src/main/adapters/home/home.ts';
import { connectToApp } from '../../src/main/bridge/shim-connection.ts';
import { openEngine } from '../../src/main/compose.ts';
import { programFiles } from '../../src/main/program-files.ts';
import type { Envelope } from '../../src/shared/contract/contract.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { canaryOfBytes, canaryOfWords, filesBelow, found, processesBelow, type Canary } from '../support/canary.ts';
import { httpAgent } from '../support/http-agent.ts';

/** I6: a paid story with known keys, and every byte that it leaves anywhere. */

const PASSPHRASE = 'correct horse battery';
const MAIL_PASSWORD = 'canary-of-the-mail-server';
/** Bytes that no other run and no fixture has. */
const secretOf = (name: string, length = 32): Buffer => createHash('sha512').update(`bursar canary: ${name}`).digest().subarray(0, length);
const words = entropyToMnemonic(secretOf('restored'), wordlist);
const seed = createSeed(secretOf('restored'));
const evmKey = secretOf('evm');
const solanaSeed = secretOf('solana');
const keypairOf = (key: Uint8Array): Buffer => Buffer.concat([key, ed25519PublicKey(key)]);
const keypair = keypairOf(solanaSeed);
const fileSeed = secretOf('key file');

const restoredSolana = derivePrivateKey(seed, 'solana', derivationPath('solana', 0));

const canaries: Canary[] = [
  canaryOfWords('restored words', words.split(' ')),
  canaryOfBytes('restored entropy', secretOf('restored')),
  canaryOfBytes('restored seed', seed.subarray(-64)),
  canaryOfBytes('restored EVM key', derivePrivateKey(seed, 'eip155', derivationPath('eip155', 0))),
  canaryOfBytes('restored Solana key', restoredSolana, keypairOf(restoredSolana)),
  canaryOfBytes('imported EVM key', evmKey),
  canaryOfBytes('imported Solana key', solanaSeed, keypairOf(solanaSeed)),
  canaryOfBytes('key in a file', fileSeed, keypairOf(fileSeed)),
  { name: 'passphrase', needles: [Buffer.from(PASSPHRASE)] },
  { name: 'password of the mail server', needles: [Buffer.from(MAIL_PASSWORD)] },
];

/** What was seen, by where. */
const seen: { readonly where: string; readonly bytes: Buffer }[] = [];
const note = (where: string, text: string | Uint8Array): void => void seen.push({ where, bytes: Buffer.from(text as string) });

const root = mkdtempSync(join(tmpdir(), 'bursar-canary-'));
const home = join(root, 'home');
let app: AppProcess;

beforeAll(() => {
  // A server that tells what it was started with.
  writeFileSync(
    join(root, 'nosy.mjs'),
    `import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(root, 'nosy.txt'))}, JSON.stringify([process.env, process.argv]));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'nosy', version: '1' } } : method === 'tools/list' ? { tools: [] } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`,
  );
});
afterAll(async () => {
  await app?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function start(): Promise<AppProcess> {
  app = await startApp({ home });
  app.child.stdout?.on('data', (chunk: Buffer) => note('standard output', chunk));
  app.child.stderr?.on('data', (chunk: Buffer) => note('standard error', chunk));
  return app;
}

/** The owner's contract; every line that comes back is kept, but for the answers that are meant to hold a secret. */
async function owner() {
  const socket = await connectToApp({ home, hello: { role: 'control' }, startMs: 0 });
  const waiting = new Map<number, { readonly route: string; readonly done: (reply: Envelope<unknown>) => void }>();
  let next = 0;
  createInterface({ input: socket }).on('line', (line) => {
    const frame = JSON.parse(line) as { id?: number; reply: Envelope<unknown> };
    const asked = frame.id === undefined ? undefined : waiting.get(frame.id);
    const isMeant = (asked?.route === 'seeds.reveal' || asked?.route === 'accounts.export') && frame.reply.ok;
    if (!isMeant) note(`answer of ${asked?.route ?? 'an event'}`, line);
    asked?.done(frame.reply);
  });
  const send = (route: string, input: object): Promise<Envelope<unknown>> =>
    new Promise((done) => {
      const id = next++;
      waiting.set(id, { route, done });
      socket.write(`${JSON.stringify({ id, route, input })}\n`);
    });
  return {
    close: () => socket.destroy(),
    /** The value; throws where it failed. */
    async ask<T>(route: string, input: object = {}): Promise<T> {
      const reply = await send(route, input);
      if (!reply.ok) throw new Error(`${route}: ${reply.error.message}`);
      return reply.value as T;
    },
    /** The code of the failure; throws where it worked. */
    async refused(route: string, input: object): Promise<string> {
      const reply = await send(route, input);
      if (reply.ok) throw new Error(`${route} worked`);
      return reply.error.code;
    },
  };
}

async function cli(...args: string[]): Promise<void> {
  note(`bursar ${args.join(' ')}`, await runCli(['--home', home, ...args]).catch((error: unknown) => String(error)));
}

const keyFile = (): string => {
  const [salt, iv] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', scryptSync('file passphrase', salt, 32, { N: 2 ** 14, r: 8, p: 1 }), iv);
  const plain = keypairOf(fileSeed);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return JSON.stringify({ version: 1, salt: text(salt), iv: text(iv), ciphertext: text(Buffer.concat([cipher.update(plain), cipher.final()])), authTag: text(cipher.getAuthTag()) });
};

test('I6: a key, a word or the passphrase stands in a file, the database, a log, an answer, an error or a child', { timeout: 300_000 }, async () => {
  const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));
  const engine = await openEngine({ environment: 'sandbox', home, host: 'headless', files, version: '0', preferVault: true, live: false });
  const cliCaller = { surface: 'cli', connection: 'c', host: 'headless' } as const;
  note('first passphrase', JSON.stringify(await engine.router.dispatch('owner.setPassphrase', { passphrase: PASSPHRASE, code: engine.setupCode, words: `${words} zzzz` }, cliCaller)));
  note('first passphrase', JSON.stringify(await engine.router.dispatch('owner.setPassphrase', { passphrase: PASSPHRASE, code: engine.setupCode, words }, cliCaller)));
  await engine.close();
  // The call that meets locked keys is answered after this, and not only when a usual client would give up.
  const { config } = homePaths(home);
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), clients: { default: { answerWithinSeconds: 15 } } }));

  await start();
  const { ask, refused, close } = await owner();
  const { accounts } = await ask<{ accounts: { id: string; address: string; namespace: string; source: string }[] }>('accounts.list');
  // The restored accounts pay first; the ones that were made before are hidden.
  expect(accounts.filter(({ source }) => source === 'seed')).toHaveLength(2);
  const evm = await ask<{ id: string; address: string }>('accounts.import', { namespace: 'eip155', label: 'Old', secret: `0x${evmKey.toString('hex')}` });
  await ask('accounts.import', { namespace: 'solana', label: 'Old', secret: JSON.stringify([...keypair]) });
  const filed = await ask<{ id: string; address: string }>('accounts.import', { namespace: 'solana', label: 'Filed', secret: keyFile(), filePassphrase: 'file passphrase' });

  // What goes wrong.
  expect(await refused('accounts.import', { namespace: 'eip155', label: 'Twice', secret: evmKey.toString('hex') })).toBe('KEY_INVALID');
  expect(await refused('accounts.import', { namespace: 'eip155', label: 'Cut', secret: evmKey.toString('hex').slice(1) })).toBe('KEY_INVALID');
  expect(await refused('accounts.import', { namespace: 'eip155', label: '', secret: evmKey.toString('hex') })).toBe('INPUT_INVALID');
  expect(await refused('accounts.import', { namespace: 'solana', label: 'Cut', secret: base58.encode(keypair).slice(2) })).toBe('KEY_INVALID');
  expect(await refused('accounts.import', { namespace: 'solana', label: 'Long', secret: `[${[...keypair, 7].join(',')}]` })).toBe('KEY_INVALID');
  expect(await refused('accounts.import', { namespace: 'solana', label: 'Locked', secret: keyFile(), filePassphrase: PASSPHRASE })).toBe('PASSPHRASE_WRONG');
  expect(await refused('accounts.importMnemonic', { label: 'Typo', words: words.replace(/\w+$/, 'zzzz') })).toBe('MNEMONIC_INVALID');
  expect(await refused('accounts.importMnemonic', { label: 'Swapped', words: words.split(' ').toReversed().join(' ') })).toBe('MNEMONIC_CHECKSUM');
  expect(await refused('accounts.importMnemonic', { label: 'Twice', words })).toBe('KEY_INVALID');
  expect(await refused('accounts.watch', { namespace: 'eip155', label: 'Mistaken', address: evmKey.toString('hex') })).toBe('INPUT_INVALID');
  expect(await refused('accounts.rename', { accountId: words.slice(0, 60), label: 'x' })).toBe('INPUT_INVALID');
  expect(await refused('seeds.reveal', { passphrase: `${PASSPHRASE}!` })).toBe('PASSPHRASE_WRONG');
  expect(await refused('nothing.such', { secret: words })).toBe('NOT_FOUND');

  // What is meant to be shown holds it: the scan below can find it.
  const shown = await ask<{ words: string[] }>('seeds.reveal', { seed: (await ask<{ seeds: { id: string }[] }>('seeds.list')).seeds[1]!.id, passphrase: PASSPHRASE });
  expect(found(canaries, Buffer.from(JSON.stringify(shown)))).toEqual(['restored words']);
  for (const [form, name] of [['hex', 'imported EVM key'], ['base58', 'key in a file'], ['keypair', 'key in a file']] as const) {
    const { secret } = await ask<{ secret: string }>('accounts.export', { accountId: form === 'hex' ? evm.id : filed.id, form, passphrase: PASSPHRASE });
    expect(found(canaries, Buffer.from(JSON.stringify({ secret })))).toEqual([name]);
  }
  const main = await ask<{ words: string[] }>('seeds.reveal', { passphrase: PASSPHRASE });
  canaries.push(canaryOfWords("the wallet's own words", main.words));

  // What is paid, by an imported account and by restored ones.
  await ask('upstreams.add', { name: 'nosy', transport: { kind: 'stdio', command: process.execPath, args: [join(root, 'nosy.mjs')], env: {} } });
  const { number, policy } = await ask<{ number: number; policy: object }>('policy.get');
  await ask('policy.set', { basedOn: number, policy: { ...policy, otherwise: 'allow', paying: { accounts: [{ account: evm.address }] } } });
  const agent = await httpAgent(app);
  for (const [tool, args] of [['sun_times', { latitude: 52.5, longitude: 13.4, date: '2026-06-21' }], ['moon_phase', { date: '2026-06-21' }]] as const) {
    const answer = await agent.call(tool, args);
    note(`answer of ${tool}`, JSON.stringify(answer));
    expect(answer.result?.isError).toBeFalsy();
  }
  const { payments } = await ask<{ payments: { id: string }[] }>('payments.list');
  expect(payments).toHaveLength(2);
  for (const { id } of payments) {
    await ask('payments.detail', { paymentId: id });
    await ask('payments.dispute', { paymentId: id });
  }
  // Nothing listens there: what is refused may quote what it was given.
  await ask('escrows.setMail', { mail: { host: '127.0.0.1', port: 9, plain: true, user: 'owner', password: MAIL_PASSWORD, from: 'owner@example.org' } });
  await ask('escrows.settings');
  expect(await refused('escrows.testMail', { to: 'owner@example.org' })).toBe('MAIL_FAILED');
  expect(await refused('escrows.setMail', { mail: { host: MAIL_PASSWORD, port: 0, password: MAIL_PASSWORD, from: '' } })).toBe('INPUT_INVALID');
  await ask('upstreams.test', { name: 'nosy' });
  await ask('app.checkup', {});
  for (const route of ['accounts.list', 'seeds.list', 'ledger.verify', 'ledger.status', 'app.status', 'owner.status', 'backup.status', 'policy.get', 'clients.list', 'upstreams.list']) await ask(route, route === 'accounts.list' ? { all: true } : {});
  for (const { path, bytes } of processesBelow(app.pid)) note(path, bytes);
  await ask('backup.create', { path: join(root, 'all.backup'), passphrase: PASSPHRASE });
  for (const line of ['account list --all', 'account seeds --json', 'history', 'doctor', 'account reveal']) await cli(...line.split(' '));

  // Locked, removed, killed: its write-ahead log is scanned as it lies there.
  await ask('accounts.remove', { accountId: filed.id, confirm: filed.address, passphrase: PASSPHRASE });
  await ask('owner.lock');
  note('answer while locked', JSON.stringify(await agent.call('sun_times', { latitude: 1, longitude: 1, date: '2026-06-21' })));
  await ask('owner.unlock', { passphrase: PASSPHRASE });
  close();
  app.child.kill('SIGKILL');
  await app.exited;
  const scan = () => {
    for (const { path, bytes } of filesBelow(root)) note(path, bytes);
  };
  scan();
  await start();
  await app.stop();
  scan();

  // Its own keys are not known before; the vault tells them now.
  const paths = homePaths(home);
  const vault = createVault(paths.vault);
  expect(await vault.unlock(readFileSync(paths.vaultPassphrase, 'utf8').trim())).toBe(true);
  canaries.push(canaryOfBytes("the wallet's own seed", (await vault.get('seed'))!.subarray(-64)), canaryOfBytes('data key', (await vault.get('data-key'))!));
  vault.lock();

  expect(seen.length).toBeGreaterThan(80);
  expect(seen.some(({ where }) => where.endsWith('bursar.db-wal'))).toBe(true);
  expect(seen.filter(({ where, bytes }) => where.endsWith('nosy.txt') && bytes.includes('PATH'))).not.toEqual([]);
  expect(seen.flatMap(({ where, bytes }) => found(canaries, bytes).map((name) => `${name} in ${where}`))).toEqual([]);
  // The scan finds what is there.
  writeFileSync(join(root, 'planted'), evmKey.toString('base64'));
  expect(filesBelow(root).flatMap(({ bytes }) => found(canaries, bytes))).toEqual(['imported EVM key']);
});
