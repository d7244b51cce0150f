import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { base58 } from '@scure/base';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog, type LogOptions } from '../../../src/main/adapters/home/log.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { writeClaimFragment } from '../../../src/shared/escrow/claim-link.ts';
import { temporaryFolder } from '../store/fixtures.ts';

const parse = (line: string): { msg: string; fields?: Record<string, unknown>; level: number } => JSON.parse(line);

function openLog(options: Partial<LogOptions> = {}) {
  const path = join(temporaryFolder(), 'logs', 'bursar.log');
  const log = createLog({ path, ...options });
  onTestFinished(() => log.close());
  const lines = () => readFileSync(path, 'utf8').trim().split('\n').filter(Boolean).map(parse);
  return { log, path, lines };
}

const key = Uint8Array.from({ length: 32 }, (_, index) => 200 - index);
const keypair = Uint8Array.from([...key, ...key]);
const hex = Buffer.from(key).toString('hex');
const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const token = `brs_${Buffer.from(key).toString('base64url')}`;
const fragment = writeClaimFragment({ network: 'eip155:84532', networkName: 'Base Sepolia', token: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC', decimals: 6, eip712: { name: 'USDC', version: '2' } }, units: '1', expiresAt: 1, memo: '', sender: '', secret: 'c4'.repeat(32) });
const CANARIES = { hex, prefixed: `0x${hex}`, keypairHex: Buffer.from(keypair).toString('hex'), base58: base58.encode(keypair), array: JSON.stringify([...keypair]), words, token, bearer: 'Bearer opaque-canary', rpc: 'https://user:pass-canary@rpc.example/?key=query-canary', claim: `https://claims.example/pay/#${fragment}` };
const NEEDLES = [hex, base58.encode(keypair), '200,199,198', 'winner', token, 'opaque-canary', 'pass-canary', 'query-canary', 'field-canary', fragment.slice(60, 120), fragment.slice(-60, -10)];

describe('log', () => {
  it('writes key material, wherever in a line it stands (I6)', () => {
    const { log, path } = openLog({ level: 'debug' });
    for (const [name, canary] of Object.entries(CANARIES)) {
      const error = new BursarError('KEY_INVALID', `bad ${canary}`, { context: { what: canary }, cause: new Error(canary) });
      log.debug(canary);
      log.info(`${name} is ${canary}!`, { text: canary, nested: { list: [canary, { deep: canary }] }, error, [canary]: 1 });
      log.warn('transaction', { transaction: 'ok', message: canary });
    }
    for (const field of ['privateKey', 'private_key', 'seed', 'mnemonic', 'passphrase', 'token', 'Authorization', 'headers', 'env', 'proofText', 'API-Key', 'secret']) {
      log.error('field', { [field]: 'field-canary', in: { [field]: { any: 'field-canary' } } });
    }
    log.info('bytes', { bytes: key, buffer: Buffer.from(key), list: [...key], view: key.buffer, map: new Map([['a', hex]]) });
    const text = readFileSync(path, 'utf8');
    for (const needle of NEEDLES) expect(text).not.toContain(needle);
    expect(text).toContain('[32 bytes]');
  });

  it('takes out what is needed to find a payment again', () => {
    const { log, lines } = openLog();
    const digest = 'ab'.repeat(32);
    log.info('settled', { transaction: `0x${digest}`, termsDigest: digest, units: 10_000n, error: new BursarError('CHAIN_UNREACHABLE', 'No answer.', { context: { network: 'eip155:84532' } }) });
    expect(lines()[0]).toMatchObject({
      level: 30,
      msg: 'settled',
      fields: { transaction: `0x${digest}`, termsDigest: digest, units: '10000', error: { name: 'BursarError', code: 'CHAIN_UNREACHABLE', message: 'No answer.', context: { network: 'eip155:84532' } } },
    });
  });

  it('fails on a value that is no JSON, or lets a field pose as the line itself', () => {
    const { log, lines } = openLog();
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    log.info('odd', { loop, none: undefined, call: () => 1, level: 99, msg: 'forged', list: [null, 1, true] });
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({ msg: 'odd', level: 30, fields: { msg: 'forged', list: [null, 1, true] } });
  });

  it('writes below its level, or nothing after it was opened again', () => {
    const { log, path, lines } = openLog({ level: 'warn' });
    log.info('low');
    log.warn('high');
    log.close();
    const again = createLog({ path });
    again.info('later');
    again.close();
    expect(lines().map(({ msg }) => msg)).toEqual(['high', 'later']);
  });

  it.skipIf(process.platform !== 'linux')('stops a payment because the disk is full', () => {
    const said: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    onTestFinished(() => void vi.restoreAllMocks());
    const log = createLog({ path: '/dev/full' });
    onTestFinished(() => log.close());
    log.error('something');
    expect(said.join('')).toMatch(/cannot write \/dev\/full: .*ENOSPC/);
  });

  it('grows for ever, or can be read by others', () => {
    const { log, path } = openLog({ maxBytes: 1000 });
    for (let line = 0; line < 50; line += 1) log.info(`line ${line}`);
    const folder = dirname(path);
    expect(readdirSync(folder).toSorted()).toEqual(['bursar.log', 'bursar.log.1']);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1000);
      if (process.platform !== 'win32') expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(path, 'utf8')).toContain('line 49');
  });
});
