import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, startApp, type AppProcess } from '../../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../../support/approval-socket.ts';
import { ownerContract } from '../../support/contract.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';

/** `bursar contact`, `bursar send`, `bursar account receive` and `bursar account alert` with a running application. */

let app: AppProcess;
let owner: ApprovalSocket;
const run = (...words: string[]): Promise<string> => runCli(['--home', app.home, ...words]);
const json = async (...words: string[]): Promise<unknown> => JSON.parse(await run(...words, '--json'));

beforeAll(async () => {
  app = await startApp();
  owner = await openApprovalSocket(app.dashboard);
});
afterAll(async () => {
  owner?.close();
  await app?.stop();
});

test('a contact cannot be kept, changed or paid from a terminal', async () => {
  const evm = evmAccount(random(32)).address;
  const { address: solana } = await solanaAccount(random(32));
  expect(await json('contact', 'add', 'Ada', '--evm', evm.toLowerCase(), '--email', 'ada@example.com')).toMatchObject({ number: 1, name: 'Ada', addresses: [{ chain: 'eip155', address: evm }] });
  expect(await json('contact', 'edit', '1', '--solana', solana, '--remove-address', 'eip155')).toMatchObject({ email: 'ada@example.com', addresses: [{ chain: 'solana', address: solana }] });
  expect(await run('contact', 'list')).toMatch(new RegExp(`^1 +Ada\\n +e-mail +ada@example.com\\n +solana +${solana}`));
  await expect(run('contact', 'add', 'Bob', '--evm', `${evm}0`)).rejects.toThrow(/has 41 digits.*ADDRESS_INVALID/);

  expect(await run('send', 'contact:1', '0.25', '--memo', 'lunch', '--quote')).toMatch(new RegExp(`Send +0\\.25 USDC\\nNetwork .*\\nTo +contact 1 \\(Ada\\), ${solana}\\n[^]*rent for a token account[^]*Nothing was sent\\.`));
  const sending = json('send', 'contact:1', '0.25', '--memo', 'lunch');
  await owner.decide('approve');
  expect(await sending).toMatchObject({ paymentType: 'direct', recipient: 'contact 1 (Ada)', payee: solana, money: { units: '250000' }, transaction: expect.stringMatching(/^\w{64,90}$/) });
  expect(await json('history')).toMatchObject({ payments: [{ status: 'delivered', tool: 'send', client: 'cli', order: { recipient: 'contact 1 (Ada)', memo: 'lunch' } }] });
  expect(await json('contact', 'remove', '1')).toEqual({ number: 1, removed: true });
  await expect(run('send', 'contact:1', '0.25')).rejects.toThrow(/no contact 1/);
});

test('where money is received, and what the owner is warned of, cannot be seen or set from a terminal', async () => {
  expect(await run('account', 'receive')).toMatch(/Base Sepolia: .*USDC.*ETH[^]*Send only tokens on Base Sepolia here\./);
  const usdc = 'eip155:84532/erc20:0x036CbD53842c5426634e7929541eC2318f3dCF7e';
  expect(await run('account', 'alert', usdc, '1000000')).toContain('Below 1000000 USDC on Base Sepolia');
  expect(await run('account', 'alert')).toContain('Below 1000000 USDC');
  const contract = await ownerContract(app.home);
  await expect.poll(async () => (await contract.request('app.status', {})).warnings, { timeout: 10_000 }).toContainEqual(expect.stringMatching(/^Your accounts hold .* USDC on Base Sepolia, less than the 1000000 USDC/));
  contract.close();
  expect(await run('account', 'alert', usdc)).toContain('No alert is set.');
});
