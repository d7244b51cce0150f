import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createVault } from '../../../src/main/adapters/keys/vault.ts';
import { temporaryFolder } from '../store/fixtures.ts';

// Each passphrase costs a real scrypt, up to a second on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const secret = new TextEncoder().encode('canary-secret-canary-secret-1234');

async function newVault() {
  const path = join(temporaryFolder(), 'vault.json');
  const vault = createVault(path);
  await vault.create('correct horse');
  await vault.set('seed', secret);
  return { path, vault };
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as { items: Record<string, string>; sha256: string; check: string; kdf: { salt: string; N: number } };

const flip = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

describe('vault', () => {
  it('forgets an item, opens with another passphrase, or shows an item in its file', async () => {
    const { path, vault } = await newVault();
    const again = createVault(path);
    expect(again.locked).toBe(true);
    await expect(again.get('seed')).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    await expect(again.set('seed', secret)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
    expect(await again.unlock('correct Horse')).toBe(false);
    expect(again.locked).toBe(true);
    expect(await again.unlock('correct horse')).toBe(true);
    expect(Buffer.from((await again.get('seed'))!)).toEqual(Buffer.from(secret));
    expect(await again.get('data-key')).toBeUndefined();
    again.lock();
    await expect(again.get('seed')).rejects.toMatchObject({ code: 'WALLET_LOCKED' });

    const text = readFileSync(path, 'utf8');
    for (const form of ['utf8', 'hex', 'base64'] as const) expect(text).not.toContain(Buffer.from(secret).toString(form).slice(0, 20));
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(vault.create('other')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('locks out an owner whose keyboard composes letters differently', async () => {
    const path = join(temporaryFolder(), 'vault.json');
    await createVault(path).create('Zürich'.normalize('NFD'));
    expect(await createVault(path).unlock('Zürich'.normalize('NFC'))).toBe(true);
  });

  it('calls a damaged file a wrong passphrase, or changes it', async () => {
    const { path } = await newVault();
    const good = readFileSync(path, 'utf8');
    const { items, kdf, check } = json(path);
    const damaged = [
      '', '{}', good.slice(0, -20), good.replace(items.seed!, flip(items.seed!)), good.replace(kdf.salt, flip(kdf.salt)), good.replace(check, flip(check)),
      good.replace('131072', '2'), good.replace('"version": 1', '"version": 2'), good.replace('"seed"', '"data-key"'),
    ];
    for (const text of damaged) {
      expect(text).not.toBe(good);
      writeFileSync(path, text);
      await expect(createVault(path).unlock('correct horse')).rejects.toMatchObject({ code: 'VAULT_CORRUPT', context: { path } });
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  it('gives an item out under the name of another', async () => {
    const { path, vault } = await newVault();
    await vault.set('data-key', new Uint8Array(32));
    const content = json(path);
    [content.items.seed, content.items['data-key']] = [content.items['data-key']!, content.items.seed!];
    const { createHash } = await import('node:crypto');
    const { format, version, kdf, check, items } = content as typeof content & { format: string; version: number; kdf: { name: string; r: number; p: number } };
    const sorted = Object.keys(items).toSorted().map((name) => [name, items[name]]);
    content.sha256 = createHash('sha256').update(JSON.stringify([format, version, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, check, sorted])).digest('hex');
    writeFileSync(path, JSON.stringify(content));
    const swapped = createVault(path);
    expect(await swapped.unlock('correct horse')).toBe(true);
    await expect(swapped.get('seed')).rejects.toMatchObject({ code: 'VAULT_CORRUPT' });
  });
});
