import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/main/compose.ts';
import { programFiles } from '../../src/main/program-files.ts';
import type { BalanceView } from '../../src/shared/contract/accounts.ts';
import type { UpstreamView } from '../../src/shared/contract/upstreams.ts';
import { runCli, startApp } from '../support/app-process.ts';

const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));

/** A folder of play money that nothing runs on; its keys lie in a vault file whatever keychain the machine has. */
async function newHome(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'bursar-cli-'));
  const engine = await openEngine({ environment: 'sandbox', home, host: 'headless', files, version: '0', preferVault: true, live: false });
  await engine.close();
  return home;
}
const run = (home: string, ...words: string[]) => runCli(['--home', home, ...words]);

test.each([
  [['--url', 'https://example.com/mcp', '--header', 'Authorization=Bearer x'], 'http', 'https://example.com/mcp'],
  [['--', 'npx', '-y', '@modelcontextprotocol/server-filesystem', '/tmp'], 'stdio', 'npx -y @modelcontextprotocol/server-filesystem /tmp'],
  [['--url', 'https://example.com/mcp', '--header', 'Authorization: Bearer x'], 'http', 'https://example.com/mcp'],
  [['--env', 'A=b', '--json', '--', 'node', '--url', 'x'], 'stdio', 'node --url x'],
] as const)('upstream add NAME %j: is refused, or adds another server', async (words, kind, address) => {
  const home = await newHome();
  await run(home, 'upstream', 'add', 'one', ...words);
  const { upstreams } = JSON.parse(await run(home, 'upstream', 'list', '--json')) as { upstreams: UpstreamView[] };
  expect(upstreams).toMatchObject([{ name: 'one', kind, address }]);
});

test.each([
  [['upstream', 'add', 'one'], /either --url or a command/],
  [['upstream', 'add', 'one', '--', '--url', 'https://example.com'], /begins with -/],
  [['upstream', 'add', 'one', '--url', 'https://example.com', '--env', 'A=b'], /--env is for a command/],
  [['upstream', 'add', 'one', '--header', 'A=b', '--', 'node'], /--header is for --url/],
  [['history', '--limit', 'abc'], /from 1 to 1000000/],
  [['history', '--limit', '0'], /from 1 to 1000000/],
  [['dashboard'], /Bursar is not running here\. Start it with: npm start/],
] as const)('%j: is taken in silence', async (words, message) => {
  await expect(run(await newHome(), ...words)).rejects.toThrow(message);
});

test('a secret that is not kept, or one of real money that is taken into play money', async () => {
  const home = await newHome();
  const add = (input: string, ...words: string[]) => runCli(['--home', home, 'account', 'add', '--label', 'x', '--json', ...words], { input });
  expect(JSON.parse(await add('s3cret\n', '--dev-secret'))).toMatchObject({ namespace: 'dev', label: 'x' });
  expect(JSON.parse(await add('{"publishableKey":"pk_test_1234","paymentMethod":"pm_card_visa"}', '--stripe'))).toMatchObject({ namespace: 'stripe', address: 'pm_card_visa' });
  await expect(add('{"publishableKey":"pk_live_1234","paymentMethod":"pm_card_visa2"}', '--stripe')).rejects.toThrow(/live mode/);
  await expect(add('{"publishableKey":"sk_test_secret","paymentMethod":"pm_card_visa"}', '--stripe')).rejects.toThrow(/begins with pk_/);
  await expect(add('x')).rejects.toThrow(/either --dev-secret or --stripe/);
  await expect(add('s3cret\n', '--dev-secret')).rejects.toThrow(/This secret is added already, as "x"/);
  const { accounts } = JSON.parse(await run(home, 'account', 'list', '--json')) as { accounts: { namespace: string; address: string }[] };
  expect(accounts.map(({ namespace }) => namespace)).toEqual(['eip155', 'solana', 'dev', 'stripe']);

  const [, solana] = accounts;
  const owner = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
  expect(JSON.parse(await run(home, 'account', 'pay-from', solana!.address, '--owner', owner, '--json'))).toMatchObject({ delegatedFrom: owner });
  expect(JSON.parse(await run(home, 'account', 'pay-from', solana!.address, '--json'))).not.toHaveProperty('delegatedFrom');
});

test('a help page shows how an option is kept inside', async () => {
  expect(await run(await newHome(), 'pay-url', '--help')).not.toContain('default: {');
});

test('a misspelt --home becomes a data folder', async () => {
  const home = join(tmpdir(), `bursar-cli-missing-${process.pid}`);
  await expect(run(home, 'account', 'list')).rejects.toThrow(`There is no Bursar data folder at ${home}.`);
  expect(existsSync(home)).toBe(false);
});

test('a network cannot be set before the first start of a kind of money, or a misspelt --home becomes a folder by it', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bursar-cli-data-'));
  const env = { XDG_DATA_HOME: data, APPDATA: data, HOME: data, USERPROFILE: data, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  const words = ['network', 'set', 'eip155:84532', '--rpc', 'https://rpc.example'];
  expect(await runCli(['--network', 'testnet', ...words], { env })).toContain('https://rpc.example');
  await expect(runCli(['--network', 'testnet', '--home', join(data, 'misspelt'), ...words], { env })).rejects.toThrow('There is no Bursar data folder');
  await expect(runCli(words, { env })).rejects.toThrow('There is no Bursar data folder');
  rmSync(data, { recursive: true });
});

test('an account that is imported on play money has none until the next start', async () => {
  const app = await startApp();
  try {
    const { id } = JSON.parse(await runCli(['--home', app.home, 'account', 'import', '--namespace', 'eip155', '--label', 'Second', '--json'], { input: `0x${'42'.repeat(32)}\n` })) as { id: string };
    const { balances } = JSON.parse(await run(app.home, 'account', 'list', '--json')) as { balances: BalanceView[] };
    expect(balances.filter(({ accountId }) => accountId === id)).toContainEqual(expect.objectContaining({ asset: expect.objectContaining({ symbol: 'USDC' }), balance: expect.objectContaining({ units: '1000000000' }) }));
  } finally {
    await app.stop();
    rmSync(app.home, { recursive: true, force: true });
  }
});

test('a server that does not exist is pardoned', async () => {
  const home = await newHome();
  await run(home, 'upstream', 'add', 'one', '--url', 'https://example.com/mcp');
  expect(JSON.parse(await run(home, 'payment', 'pardon', 'one', '--json'))).toEqual({ upstream: 'one', pardoned: true });
  await expect(run(home, 'payment', 'pardon', 'nope', '--json')).rejects.toThrow('NOT_FOUND');
});
