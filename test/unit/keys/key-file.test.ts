import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { base58 } from '@scure/base';
import { ed25519PublicKey } from '../../../src/main/adapters/keys/derive.ts';
import { openKeyFile } from '../../../src/main/adapters/keys/key-file.ts';
import { readPrivateKey } from '../../../src/main/adapters/keys/import-key.ts';

const seed = new Uint8Array(32).fill(5);
const keypair = Buffer.concat([seed, ed25519PublicKey(seed)]);

/** A file as `@ozskr/agent-wallet-sdk` writes it: nothing in it says its cost. */
function fileOf(plain: Uint8Array, passphrase: string, { bits = 14, encoding = 'base64', ...rest }: { bits?: number; encoding?: BufferEncoding } & Record<string, unknown> = {}): Record<string, unknown> {
  const [salt, iv] = [randomBytes(32), randomBytes(12)];
  const key = scryptSync(passphrase, salt, 32, { N: 2 ** bits, r: 8, p: 1, maxmem: 2 ** 31 });
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { version: 1, salt: salt.toString(encoding), iv: iv.toString(encoding), ciphertext: ciphertext.toString(encoding), authTag: cipher.getAuthTag().toString(encoding), ...rest };
}

const open = (file: unknown, passphrase = 'correct horse battery') => openKeyFile(typeof file === 'string' ? file : JSON.stringify(file), passphrase);

it('does not open an encrypted keypair file of the cost that its program uses, in hex, or with its cost in it', async () => {
  for (const file of [
    fileOf(keypair, 'correct horse battery'),
    fileOf(keypair, 'correct horse battery', { bits: 17 }),
    fileOf(keypair, 'correct horse battery', { encoding: 'hex' }),
    fileOf(keypair, 'correct horse battery', { bits: 11, scrypt: { N: 2 ** 11, r: 8, p: 1 } }),
  ]) {
    expect(Buffer.from(await open(file)).equals(keypair)).toBe(true);
  }
  const { authTag, ...rest } = fileOf(keypair, 'correct horse battery');
  expect(Buffer.from(await open({ ...rest, tag: authTag })).equals(keypair)).toBe(true);
});

it('takes a wrong passphrase, a changed or cut file, or one of another version', { timeout: 60_000 }, async () => {
  const scrypt = { N: 2 ** 11, r: 8, p: 1 };
  const file = fileOf(keypair, 'correct horse battery', { bits: 11, scrypt });
  await expect(open(file, 'another passphrase')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  const changed = Buffer.from(String(file['ciphertext']), 'base64');
  changed[3]! ^= 1;
  await expect(open({ ...file, ciphertext: changed.toString('base64') })).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  await expect(open(JSON.stringify(file).slice(0, -20))).rejects.toMatchObject({ code: 'KEY_INVALID', message: expect.stringContaining('not whole JSON') });
  for (const version of [2, 0, '1']) await expect(open({ ...file, version })).rejects.toMatchObject({ code: 'KEY_FILE_UNSUPPORTED', context: { version: String(version) } });
  await expect(open({ version: 1, salt: 'AA==' })).rejects.toMatchObject({ code: 'KEY_INVALID' });
  await expect(open({ ...file, scrypt: { N: 2 ** 30, r: 8, p: 1 } })).rejects.toMatchObject({ code: 'KEY_INVALID', message: expect.stringContaining('scrypt.N') });
  await expect(open({ ...file, authTag: 'AAAA' })).rejects.toMatchObject({ code: 'KEY_INVALID' });
});

it('imports what a key file holds although it is no keypair, or for another kind of chain', async () => {
  const text = (plain: Uint8Array) => JSON.stringify(fileOf(plain, 'correct horse battery'));
  expect(base58.encode(await readPrivateKey('solana', text(keypair), 'correct horse battery'))).toBe(base58.encode(seed));
  expect(Buffer.from(await readPrivateKey('solana', text(seed), 'correct horse battery')).equals(seed)).toBe(true);
  await expect(readPrivateKey('solana', text(new Uint8Array(64)), 'correct horse battery')).rejects.toMatchObject({ code: 'KEY_INVALID' });
  await expect(readPrivateKey('solana', text(new Uint8Array(16)), 'correct horse battery')).rejects.toMatchObject({ code: 'KEY_INVALID' });
  await expect(readPrivateKey('eip155', text(keypair), 'correct horse battery')).rejects.toMatchObject({ code: 'KEY_INVALID' });
  await expect(readPrivateKey('solana', text(keypair), undefined)).rejects.toMatchObject({ code: 'KEY_INVALID', message: expect.stringContaining('passphrase was not given') });
});

it('throws an error that is not ours for a file that is anything else', async () => {
  const cheap = { N: 2 ** 10, r: 1, p: 1 };
  const file = fc.record(
    { version: fc.oneof(fc.constant(1), fc.anything()), salt: fc.oneof(fc.base64String({ maxLength: 64 }), fc.anything()), iv: fc.base64String({ maxLength: 24 }), ciphertext: fc.base64String({ maxLength: 100 }), authTag: fc.oneof(fc.constant('AAAAAAAAAAAAAAAAAAAAAA=='), fc.string()), scrypt: fc.constant(cheap) },
    { requiredKeys: ['scrypt'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(file.map((each) => JSON.stringify(each)), fc.string().map((text) => `{${text}`)), async (text) => {
      await expect(openKeyFile(text, 'x')).rejects.toMatchObject({ name: 'BursarError', code: expect.stringMatching(/^(KEY_INVALID|KEY_FILE_UNSUPPORTED|PASSPHRASE_WRONG)$/) });
    }),
    { numRuns: 200 },
  );
});
