import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createVault } from '../../../src/main/adapters/keys/vault.ts';
import { temporaryFolder } from '../store/fixtures.ts';

const secret = new TextEncoder().encode('canary-secret-canary-secret-1234');

async function newVault() {
  const path = join(temporaryFolder(), 'vault.json');
  const vault = createVault(path, { cost: 2 ** 10 });
  await vault.create('correct horse');
  await vault.set('seed', secret);
  return { path, vault };
}

interface Parsed {
  format: string;
  version: number;
  kdf: { name: string; N: number; r: number; p: number; salt: string };
  check: string;
  items: Record<string, string>;
  sha256: string;
}
const json = (path: string): Parsed => JSON.parse(readFileSync(path, 'utf8'));

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

  it('makes a guess cheap in a vault that nobody chose the cost of', { timeout: 30_000 }, async () => {
    const path = join(temporaryFolder(), 'vault.json');
    await createVault(path).create('correct horse');
    expect(json(path).kdf).toMatchObject({ N: 131_072, r: 8, p: 1 });
    expect(await createVault(path).unlock('correct horse')).toBe(true);
  });

  it('locks out an owner whose keyboard composes letters differently', async () => {
    const path = join(temporaryFolder(), 'vault.json');
    await createVault(path, { cost: 2 ** 10 }).create('Zürich'.normalize('NFD'));
    expect(await createVault(path).unlock('Zürich'.normalize('NFC'))).toBe(true);
  });

  it('calls a damaged file a wrong passphrase, or changes it', async () => {
    const { path } = await newVault();
    const good = readFileSync(path, 'utf8');
    const { items, kdf, check } = json(path);
    const damaged = [
      '', '{}', good.slice(0, -20), good.replace(items.seed!, flip(items.seed!)), good.replace(kdf.salt, flip(kdf.salt)), good.replace(check, flip(check)),
      good.replace('1024', '2048'), good.replace('1024', '1000'), good.replace('"version": 1', '"version": 2'), good.replace('"seed"', '"data-key"'),
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
    const { format, version, kdf, check, items } = content;
    const sorted = Object.keys(items).toSorted().map((name) => [name, items[name]]);
    content.sha256 = createHash('sha256').update(JSON.stringify([format, version, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, check, sorted])).digest('hex');
    writeFileSync(path, JSON.stringify(content));
    const swapped = createVault(path);
    expect(await swapped.unlock('correct horse')).toBe(true);
    await expect(swapped.get('seed')).rejects.toMatchObject({ code: 'VAULT_CORRUPT' });
  });
});
