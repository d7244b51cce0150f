import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { locateHome, openHome, type Home } from '../../../src/main/adapters/home/home.ts';
import { temporaryFolder } from '../store/fixtures.ts';

const newFolder = () => join(temporaryFolder(), 'home');

function open(folder: string, environment: 'sandbox' | 'testnet' | 'mainnet' = 'sandbox'): Home {
  const home = openHome({ environment, home: folder });
  onTestFinished(() => home.close());
  return home;
}

const fails = (folder: string, code: string, message: RegExp = /./) =>
  expect(() => openHome({ environment: 'sandbox', home: folder })).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));

const at = (platform: NodeJS.Platform, env: Record<string, string>, home?: string) => locateHome({ environment: 'testnet', platform, env, ...(home !== undefined && { home }) });

describe('locateHome', () => {
  it('mixes the money of two environments, or looks elsewhere than the platform keeps data', () => {
    expect(at('linux', { HOME: '/home/ann' })).toBe('/home/ann/.local/share/bursar/testnet');
    expect(at('linux', { HOME: '/home/ann', XDG_DATA_HOME: '/data' })).toBe('/data/bursar/testnet');
    expect(at('linux', { HOME: '/home/ann', XDG_DATA_HOME: 'relative' })).toBe('/home/ann/.local/share/bursar/testnet');
    expect(at('darwin', { HOME: '/Users/ann' })).toBe('/Users/ann/Library/Application Support/Bursar/testnet');
    expect(at('win32', { APPDATA: '/appdata', USERPROFILE: '/profile' })).toBe('/appdata/Bursar/testnet');
    expect(at('linux', { HOME: '/home/ann', BURSAR_HOME: '/given' })).toBe('/given');
    expect(at('linux', { BURSAR_HOME: '/given' }, '/option')).toBe('/option');
  });
});

describe('openHome', () => {
  it.skipIf(process.platform === 'win32')('lets other users of the machine in', () => {
    const folder = newFolder();
    open(folder);
    const mode = (name: string) => statSync(join(folder, name)).mode & 0o777;
    expect(['', 'run', 'config.json', 'run/engine.lock.db', 'run/engine.pid'].map(mode)).toEqual([0o700, 0o700, 0o600, 0o600, 0o600]);
    const wide = newFolder();
    mkdirSync(wide, { mode: 0o755 });
    chmodSync(wide, 0o755);
    open(wide);
    expect(statSync(wide).mode & 0o777).toBe(0o700);
  });

  it('forgets what was configured, or gives the folder another id', () => {
    const folder = newFolder();
    const home = open(folder, 'testnet');
    home.update({ port: 1234, keys: { backend: 'vault', created: true } });
    home.setNetwork('eip155:84532', ['http://127.0.0.1:8545', 'https://example.com/rpc']);
    const config = home.config();
    home.close();
    const again = open(folder, 'testnet');
    expect(again.config()).toEqual(config);
    expect(config).toMatchObject({ port: 1234, networks: { 'eip155:84532': { rpcUrls: ['http://127.0.0.1:8545', 'https://example.com/rpc'] } } });
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('takes a folder of one kind of money for another', () => {
    const folder = newFolder();
    open(folder, 'mainnet').close();
    fails(folder, 'HOME_NETWORK_MISMATCH', /is for mainnet, not for sandbox/);
  });

  it('enables a network of the other kind of money, an unknown one, or one without an address', () => {
    const home = open(newFolder(), 'testnet');
    const set = (id: string, urls: string[]) => () => home.setNetwork(id, urls);
    const before = home.config();
    expect(set('eip155:8453', ['https://a.example'])).toThrow(expect.objectContaining({ code: 'HOME_NETWORK_MISMATCH' }));
    expect(set('eip155:999999', ['https://a.example'])).toThrow(expect.objectContaining({ code: 'NETWORK_UNSUPPORTED' }));
    for (const urls of [[], ['file:///etc/passwd'], ['https://'], ['nonsense']]) expect(set('eip155:84532', urls)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(home.config()).toEqual(before);
  });

  it.each<[string, RegExp]>([
    ['', /line 1, column 1/],
    ['{\n  "version": 1,\n  "port": oops\n}', /line 3, column 11/],
    ['{\n  "version": 1', /line 2, column 15/],
    ['{"version": 1,\n "version": 1}', /line 2, column \d+/],
    ['[]', /\(top level\)/],
    ['{"version": 2}', /in version/],
  ])('starts with a broken configuration, or repairs it: %s', (text, why) => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.json'), text);
    fails(folder, 'CONFIG_CORRUPT', why);
    expect(readdirSync(folder)).toEqual(['config.json']);
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(text);
  });

  it('ignores a field that it does not know, a port out of range, or a network that it does not know', () => {
    const folder = newFolder();
    const home = open(folder);
    const config = home.config();
    home.close();
    const write = (change: object) => writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...change }));
    const wrong: [object, RegExp][] = [
      [{ port: 70_000 }, /in port/],
      [{ maxAmount: '1' }, /maxAmount/],
      [{ networks: { 'eip155:999999': { rpcUrls: ['http://a'] } } }, /in networks.eip155:999999: is not a known network/],
      [{ networks: { 'eip155:8453': { rpcUrls: ['http://a'] } } }, /does not belong into a sandbox/],
      [{ networks: { 'eip155:84532': { rpcUrls: ['ftp://a'] } } }, /in networks.eip155:84532.rpcUrls.0/],
      [{ keys: { backend: 'file', created: true } }, /in keys.backend/],
    ];
    for (const [change, why] of wrong) {
      write(change);
      fails(folder, 'CONFIG_CORRUPT', why);
    }
    write({});
    open(folder);
  });

  it.each(['bursar.db', 'vault.json'])('makes a new configuration, and so new keys, over an existing %s', (name) => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, name), 'x');
    fails(folder, 'CONFIG_CORRUPT', /is missing although/);
    expect(readdirSync(folder)).toEqual([name]);
  });

  it('opens a folder twice', () => {
    const folder = newFolder();
    const home = open(folder);
    fails(folder, 'HOME_IN_USE', new RegExp(`process ${process.pid}`));
    fails(folder, 'HOME_IN_USE');
    home.close();
    expect(existsSync(join(folder, 'run', 'engine.pid'))).toBe(false);
    open(folder);
  });

  it('opens a folder that another process has, or never again after that one was killed', { timeout: 30_000 }, async () => {
    const folder = newFolder();
    const child = spawn(process.execPath, [join(import.meta.dirname, 'hold-home.ts'), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    fails(folder, 'HOME_IN_USE', new RegExp(`process ${child.pid}`));
    rmSync(join(folder, 'run', 'engine.pid'));
    fails(folder, 'HOME_IN_USE', /Another Bursar uses/);
    child.kill('SIGKILL');
    await exit;
    open(folder);
  });
});
