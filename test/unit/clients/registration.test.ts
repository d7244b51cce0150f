import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientFile } from '../../../src/main/clients/client-file.ts';
import { detectClient, previewRegistration, register, undoRegistration as undoIn } from '../../../src/main/clients/registration.ts';

const wanted = { 'bursar-demo': { command: '/opt/node', args: ['/opt/shim.js', 'demo'] } };
const original = '\uFEFF{\r\n   "mcpServers": {\r\n      "files": { "command": "npx" }\r\n   },\r\n   "theme": "dark"\r\n}';
const failsWith = (code: string) => expect.objectContaining({ code });

let home: string;
let folder: string;
let path: string;
let client: ClientFile;
let time: number;
const now = () => new Date((time += 1000));

beforeEach(() => {
  time = Date.UTC(2026, 0, 1);
  home = mkdtempSync(join(tmpdir(), 'bursar-clients-'));
  folder = join(home, 'Claude');
  path = join(folder, 'claude_desktop_config.json');
  client = { path, signs: [folder], shape: { format: 'json', key: 'mcpServers' } };
  mkdirSync(folder);
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const read = () => readFileSync(path, 'utf8');
const backups = () => readdirSync(folder).filter((name) => name.includes('.bursar-backup-'));
async function undoRegistration() {
  await undoIn(client, now());
  return detectClient(client, wanted);
}
async function registerPreviewed(registrations = wanted) {
  const { digest } = await previewRegistration(client, registrations);
  return register(client, registrations, digest, now());
}

describe('detect', () => {
  it('calls a client without a folder unregistered', async () => {
    rmSync(folder, { recursive: true });
    expect(await detectClient(client, wanted)).toEqual({ state: 'absent', undoable: false });
    await expect(previewRegistration(client, wanted)).rejects.toThrow(failsWith('NOT_FOUND'));
    expect(existsSync(folder)).toBe(false);
  });

  it('calls an entry with an older path registered', async () => {
    await registerPreviewed();
    expect(await detectClient(client, { 'bursar-demo': { command: '/new/node', args: [] } })).toEqual({ state: 'unregistered', undoable: true });
    expect(await detectClient(client, wanted)).toEqual({ state: 'registered', undoable: true });
  });

  it('calls bytes that are no UTF-8 unregistered', async () => {
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await detectClient(client, wanted)).toEqual({ state: 'malformed', undoable: false });
  });
});

describe('register', () => {
  it('writes something other than what was previewed', async () => {
    writeFileSync(path, original);
    const preview = await previewRegistration(client, wanted);
    expect(preview).toMatchObject({ path, before: original });
    expect(read()).toBe(original);
    expect(await register(client, wanted, preview.digest, now())).toEqual({ state: 'registered', undoable: true });
    expect(read()).toBe(preview.after);
  });

  it('writes without a backup, or leaves a draft behind', async () => {
    writeFileSync(path, original);
    await registerPreviewed();
    expect(readdirSync(folder).toSorted()).toEqual(['claude_desktop_config.json', 'claude_desktop_config.json.bursar-backup-20260101T000001000Z']);
    expect(readFileSync(join(folder, backups()[0]!), 'utf8')).toBe(original);
  });

  it('creates a file that others can read', async () => {
    await registerPreviewed();
    expect(JSON.parse(read())).toEqual({ mcpServers: wanted });
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(backups()).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('changes the mode of the file', async () => {
    writeFileSync(path, original);
    chmodSync(path, 0o640);
    await registerPreviewed();
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(statSync(join(folder, backups()[0]!)).mode & 0o777).toBe(0o640);
  });

  it('touches a file that it cannot read', async () => {
    const text = '{\n  // my servers\n  "mcpServers": {}\n}\n';
    writeFileSync(path, text);
    await expect(previewRegistration(client, wanted)).rejects.toThrow(failsWith('CLIENT_CONFIG_MALFORMED'));
    await expect(register(client, wanted, 'any', now())).rejects.toThrow(failsWith('CLIENT_CONFIG_MALFORMED'));
    await expect(undoRegistration()).rejects.toThrow(failsWith('CLIENT_CONFIG_MALFORMED'));
    expect(read()).toBe(text);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('writes over a change made after the preview', async () => {
    writeFileSync(path, original);
    const { digest } = await previewRegistration(client, wanted);
    const changed = original.replace('dark', 'light');
    writeFileSync(path, changed);
    await expect(register(client, wanted, digest, now())).rejects.toThrow(failsWith('APPROVAL_STALE'));
    expect(read()).toBe(changed);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('writes other entries than the owner was shown', async () => {
    writeFileSync(path, original);
    const { digest } = await previewRegistration(client, wanted);
    const other = { 'bursar-demo': { command: '/tmp/evil', args: [] } };
    await expect(register(client, other, digest, now())).rejects.toThrow(failsWith('APPROVAL_STALE'));
    expect(read()).toBe(original);
  });

  it('writes over a file that appeared after the preview', async () => {
    const { digest } = await previewRegistration(client, wanted);
    writeFileSync(path, '');
    await expect(register(client, wanted, digest, now())).rejects.toThrow(failsWith('APPROVAL_STALE'));
    expect(read()).toBe('');
  });

  it('writes over a read-only file by renaming', async () => {
    writeFileSync(path, original);
    chmodSync(path, 0o444);
    await expect(registerPreviewed()).rejects.toThrow(failsWith('FORBIDDEN'));
    expect(read()).toBe(original);
    expect(readdirSync(folder)).toHaveLength(1);
    chmodSync(path, 0o644);
  });

  it.skipIf(process.platform === 'win32')('replaces a symbolic link by a file', async () => {
    const real = join(home, 'dotfiles.json');
    writeFileSync(real, original);
    symlinkSync(real, path);
    await registerPreviewed();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('bursar-demo');
    await undoRegistration();
    expect(readFileSync(real, 'utf8')).toBe(original);
  });

  it.skipIf(process.platform === 'win32')('replaces a symbolic link whose target is still to come', async () => {
    const real = join(home, 'dotfiles.json');
    symlinkSync('../dotfiles.json', path);
    await registerPreviewed();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ mcpServers: wanted });
  });

  it('makes another backup where nothing changes', async () => {
    writeFileSync(path, original);
    await registerPreviewed();
    await registerPreviewed();
    expect(backups()).toHaveLength(1);
  });

  it('takes a name outside of its own prefix', async () => {
    const stray = { files: { command: 'x', args: [] } };
    await expect(previewRegistration(client, stray)).rejects.toThrow(failsWith('INPUT_INVALID'));
  });
});

describe('undo', () => {
  it('puts back other bytes than there were, after one registration or several', async () => {
    writeFileSync(path, original);
    await registerPreviewed();
    await registerPreviewed({ ...wanted, 'bursar-second': { command: '/opt/node', args: [] } } as typeof wanted);
    expect(backups()).toHaveLength(2);
    expect(await undoRegistration()).toEqual({ state: 'unregistered', undoable: false });
    expect(read()).toBe(original);
    expect(backups()).toEqual([]);
  });

  it('undoes what the user changed since', async () => {
    writeFileSync(path, original);
    await registerPreviewed();
    writeFileSync(path, read().replace('"dark"', '"light", "new": 1'));
    expect(await undoRegistration()).toEqual({ state: 'unregistered', undoable: false });
    expect(read()).toBe(original.replace('"dark"', '"light", "new": 1'));
  });

  it('puts an old backup over a file that was changed and registered again', async () => {
    writeFileSync(path, original);
    await registerPreviewed();
    writeFileSync(path, read().replace('dark', 'light'));
    await undoRegistration();
    await registerPreviewed();
    await undoRegistration();
    expect(read()).toBe(original.replace('dark', 'light'));
  });

  it('leaves the file that registering created, or deletes one that the user wrote into', async () => {
    await registerPreviewed();
    await undoRegistration();
    expect(existsSync(path)).toBe(false);
    await registerPreviewed();
    writeFileSync(path, read().replace('{', '{\n  "theme": "dark",'));
    await undoRegistration();
    expect(JSON.parse(read())).toEqual({ theme: 'dark', mcpServers: {} });
  });

  it('writes where there is nothing of ours', async () => {
    writeFileSync(path, original);
    expect(await undoRegistration()).toEqual({ state: 'unregistered', undoable: false });
    expect(read()).toBe(original);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
