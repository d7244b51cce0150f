import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ranCli, runCli, startApp } from '../support/app-process.ts';
import { allowEverything, ownerContract } from '../support/contract.ts';
import { httpAgent } from '../support/http-agent.ts';

let home: string;
const read = (): Record<string, unknown> => JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as Record<string, unknown>;
const write = (change: object): void => writeFileSync(join(home, 'config.json'), JSON.stringify({ ...read(), ...change }));
const bursar = (...words: string[]): Promise<string> => runCli(['--home', home, ...words]);
/** One that finds something wrong, with what it says. */
async function finds(...words: string[]): Promise<string> {
  const { code, out } = await ranCli(['--home', home, ...words]);
  expect(code).toBe(1);
  return out;
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bursar-changed-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('I7: an agent that writes config.json names the settler of its own purchases, or what an owner set counts as that', async () => {
  const first = await startApp({ home });
  const owner = await ownerContract(home);
  await allowEverything(owner);
  owner.close();
  await bursar('facilitator', 'set', '*', 'http://127.0.0.1:9/own');
  // A kill right after the owner's change leaves no finding.
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  expect(JSON.parse(await bursar('ledger', 'verify', '--json'))).toMatchObject({ cause: 'none', findings: [] });

  write({ facilitators: { '*': ['http://lying.example/k3y'] }, clientSettlement: ['demo'], lockAfterMinutes: 5 });
  const lied = await startApp({ home });
  const agent = await httpAgent(lied);
  const answer = await agent.call('sun_times', { latitude: 52.5, longitude: 13.4, date: '2026-06-21' });
  expect(JSON.stringify(answer)).toContain('SETTINGS_CHANGED');
  expect(JSON.stringify(answer)).toContain('lying.example; it was 127.0.0.1:9');
  expect(JSON.stringify(answer)).not.toContain('k3y');
  await expect(bursar('facilitator', 'set', '*', 'http://127.0.0.1:9/other')).rejects.toThrow('SETTINGS_CHANGED');
  expect(await finds('doctor')).toMatch(/config\.json was changed outside Bursar[\s\S]*ledger put-back or /);

  expect(await bursar('ledger', 'put-back')).toContain('Put back');
  expect(read()).toMatchObject({ facilitators: { '*': ['http://127.0.0.1:9/own'] }, lockAfterMinutes: 5 });
  expect(read()).not.toHaveProperty('clientSettlement');
  expect((await agent.call('sun_times', { latitude: 52.5, longitude: 13.4, date: '2026-06-22' })).result).not.toHaveProperty('isError', true);
  await lied.stop();
});

test('what the owner wrote into config.json by hand is accepted once, and the policy stays', async () => {
  const first = await startApp({ home });
  const owner = await ownerContract(home);
  await allowEverything(owner);
  owner.close();
  await first.stop();
  write({ facilitators: { '*': ['http://127.0.0.1:9/own'] } });
  expect(await finds('ledger', 'verify')).toMatch(/put-back[\s\S]*accept/);
  expect(await bursar('ledger', 'accept')).toContain('as it was');
  expect(await bursar('policy', 'show')).toContain('"otherwise": "allow"');
  expect(JSON.parse(await bursar('ledger', 'verify', '--json'))).toMatchObject({ cause: 'none', acceptances: [{ findings: [expect.stringContaining('now 127.0.0.1:9')] }] });
  expect(read()).toMatchObject({ facilitators: { '*': ['http://127.0.0.1:9/own'] } });
});
