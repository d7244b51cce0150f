import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVM_NETWORK, SOLANA_NETWORK, type SandboxNetwork } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { callTool, challengeOf, createBuyer, httpLink, receiptOf, stdioLink, type Buyer, type Send } from './buyer.ts';

const PLACE = { latitude: 51.5, longitude: -0.13, date: '2026-06-21' };
const PRODUCTS = {
  [EVM_NETWORK]: { tool: 'sun_times', args: PLACE },
  [SOLANA_NETWORK]: { tool: 'moon_phase', args: { date: '2026-01-03' } },
} as const;
const NETWORKS = [EVM_NETWORK, SOLANA_NETWORK] as const;

let sandbox: Sandbox;
let buyer: Buyer;
let overHttp: Send;
let overStdio: Awaited<ReturnType<typeof stdioLink>>;

beforeAll(async () => {
  sandbox = await startSandbox({ slotMs: 50 });
  overHttp = httpLink(sandbox.seller.mcpUrl);
  overStdio = await stdioLink(sandbox.seller.stdio);
});
afterAll(async () => {
  await overStdio?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  buyer = await createBuyer(sandbox);
  for (const network of NETWORKS) await sandbox.fund({ network, address: buyer.addresses[network], usdc: 1_000_000n });
});

const payee = (network: SandboxNetwork) => sandbox.seller.payTo[network === EVM_NETWORK ? 'evm' : 'solana'];
const balances = (network: SandboxNetwork) =>
  Promise.all([sandbox.balance(network, buyer.addresses[network]), sandbox.balance(network, payee(network))]);

/** What a call moved, as the chain tells it. */
async function moved<T>(network: SandboxNetwork, act: () => Promise<T>): Promise<{ value: T; payer: bigint; payee: bigint }> {
  const [payerBefore, payeeBefore] = await balances(network);
  const value = await act();
  const [payerAfter, payeeAfter] = await balances(network);
  return { value, payer: payerAfter - payerBefore, payee: payeeAfter - payeeBefore };
}

describe.each(NETWORKS)('a paid tool on %s', (network) => {
  const { tool, args } = PRODUCTS[network];

  test.each(['http', 'stdio'] as const)('over %s moves exactly its price, once, and answers', async (link) => {
    const send = link === 'http' ? overHttp : overStdio.send;
    const { value, payer, payee: gained } = await moved(network, async () => {
      const challenge = challengeOf(await callTool(send, tool, args));
      return callTool(send, tool, args, await buyer.pay(challenge));
    });
    expect(value.isError).toBeUndefined();
    expect(value.structuredContent).toMatchObject({ date: args.date });
    expect(receiptOf(value)).toMatchObject({ success: true, network });
    expect([payer, gained]).toEqual([-10_000n, 10_000n]);
  });

  test('an unpaid call is answered with a challenge that names price, token and payee, and runs nothing', async () => {
    const challenge = challengeOf(await callTool(overHttp, tool, args));
    expect(challenge).toMatchObject({ x402Version: 2, error: 'Payment required to access this resource', resource: { url: `mcp://tool/${tool}` } });
    expect(challenge.accepts).toHaveLength(1);
    expect(challenge.accepts[0]).toMatchObject({ scheme: 'exact', network, amount: '10000', payTo: payee(network) });
  });

  test('a proof that was used is refused the second time', async () => {
    const payment = await buyer.pay(challengeOf(await callTool(overHttp, tool, args)));
    await callTool(overHttp, tool, args, payment);
    const { value, payer } = await moved(network, () => callTool(overHttp, tool, args, payment));
    expect(challengeOf(value).error).toMatch(/^Payment (invalid|settlement failed): /);
    expect(payer).toBe(0n);
  });

  test('accepted terms that the seller did not offer are refused', async () => {
    const challenge = challengeOf(await callTool(overHttp, tool, args));
    const cheaper = { ...challenge.accepts[0]!, amount: '1' };
    const { value, payer } = await moved(network, async () => callTool(overHttp, tool, args, await buyer.pay(challenge, cheaper)));
    expect(challengeOf(value).error).toBe('Payment invalid: the accepted terms are not among those offered');
    expect(payer).toBe(0n);
  });

  test('a proof over less than the accepted amount is refused', async () => {
    const challenge = challengeOf(await callTool(overHttp, tool, args));
    const short = await buyer.pay(challenge, { ...challenge.accepts[0]!, amount: '9999' });
    const { value, payer } = await moved(network, () => callTool(overHttp, tool, args, { ...short, accepted: challenge.accepts[0] }));
    expect(challengeOf(value).error).toMatch(/^Payment invalid: /);
    expect(payer).toBe(0n);
  });

  test('a buyer without money is refused', async () => {
    const pauper = await createBuyer(sandbox);
    if (network === SOLANA_NETWORK) await sandbox.fund({ network, address: pauper.addresses[network], usdc: 9_999n });
    const challenge = challengeOf(await callTool(overHttp, tool, args));
    const result = await callTool(overHttp, tool, args, await pauper.pay(challenge));
    expect(challengeOf(result).error).toMatch(/^Payment invalid: /);
  });
});

test('a tool that accepts either chain charges the one chosen and leaves the other alone', async () => {
  for (const [index, network] of NETWORKS.entries()) {
    const other = NETWORKS[1 - index]!;
    const challenge = challengeOf(await callTool(overHttp, 'sky_report', PLACE));
    expect(challenge.accepts.map((offer) => offer.network)).toEqual(NETWORKS);
    const untouched = await balances(other);
    const { value, payer } = await moved(network, async () => callTool(overHttp, 'sky_report', PLACE, await buyer.pay(challenge, challenge.accepts[index])));
    expect(value.isError).toBeUndefined();
    expect(payer).toBe(-20_000n);
    expect(await balances(other)).toEqual(untouched);
  }
});

test('a free tool answers at once, and bad input is named without asking for money', async () => {
  const free = await callTool(overHttp, 'city_time', { timeZone: 'Asia/Kathmandu' });
  expect(free.structuredContent).toMatchObject({ timeZone: 'Asia/Kathmandu', utcOffset: '+05:45' });
  const unknown = await callTool(overHttp, 'city_time', { timeZone: 'Atlantis/Centre' });
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('There is no time zone "Atlantis/Centre"') }] });
  const badDate = await callTool(overHttp, 'moon_phase', { date: '2026-02-30' });
  expect(badDate).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('must be a date such as 2026-06-21') }] });
});

test('tools/list names the prices and the shape of the answers', async () => {
  const { result } = await overHttp({ method: 'tools/list' });
  expect(result?.tools?.slice(0, 4).map(({ name }) => name)).toEqual(['city_time', 'sun_times', 'moon_phase', 'sky_report']);
  expect(result?.tools?.filter(({ description }) => !/Free|Costs 0\.\d\d USD/.test(description))).toEqual([]);
  expect(result?.tools?.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
});

test('settlements that run side by side do not trip over each other', async () => {
  const { tool, args } = PRODUCTS[EVM_NETWORK];
  const { payer } = await moved(EVM_NETWORK, () =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        const result = await callTool(overHttp, tool, args, await buyer.pay(challengeOf(await callTool(overHttp, tool, args))));
        expect(result.isError ? challengeOf(result).error : undefined).toBeUndefined();
      }),
    ),
  );
  expect(payer).toBe(-80_000n);
});
