import { expect, test } from 'vitest';
import type { Challenge, Offer } from '../../../../src/core/challenges/dialect.ts';
import { parseJson, type JsonObject } from '../../../../src/core/json/json.ts';
import type { CallLimit } from '../../../../src/core/payments/call.ts';
import { chooseOffer } from '../../../../src/core/payments/choose-offer.ts';
import { NoOfferError, offersOfText } from '../../../../src/core/payments/considered.ts';
import type { Account, Rail } from '../../../../src/core/ports.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import { defaultPolicy, type Paying } from '../../../../src/shared/policy/policy.ts';
import { challenge as mcpChallenge, createWorld, offer as mcpOffer, PAYEE, USDC } from '../../../support/payment-world.ts';

const SEPOLIA = 'eip155:84532';
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const OWN = '0x1111111111111111111111111111111111111111';
const own = { asset: `${SEPOLIA}/erc20:${OWN}`, symbol: 'PLAY', decimals: 2 } as const;
const usdcId = `${SEPOLIA}/erc20:${USDC}`;

const account = (id: string, namespace: Account['namespace'] = 'eip155'): Account => ({ id, label: id, namespace, address: namespace === 'eip155' ? `0x${id.padStart(40, '0')}` : `${id}1111`, source: 'seed' });
const [a1, a2, s1] = [account('a1'), account('a2'), account('s1', 'solana')];

const offer = (change: Partial<Omit<Offer, 'extra'>> & { readonly extra?: object } = {}): Offer => ({
  scheme: 'exact',
  network: SEPOLIA,
  asset: USDC,
  amount: '10000',
  payee: PAYEE,
  maxTimeoutSeconds: 60,
  x402Version: 2,
  paymentFlow: 'authorization',
  source: null,
  ...change,
  extra: parseJson(JSON.stringify(change.extra ?? {})) as JsonObject,
});

const rail = (namespace: Rail['namespace']): Rail => ({
  id: `exact-${namespace}`,
  scheme: 'exact',
  namespace,
  flow: 'authorize',
  check: ({ payee }) => ({ payee }),
  sign: () => Promise.reject(new Error('not here')),
  observe: () => Promise.reject(new Error('not here')),
});

interface Given {
  readonly paying?: Paying;
  readonly balances?: Readonly<Record<string, bigint>>;
  readonly accounts?: readonly Account[];
  readonly most?: CallLimit;
  /** Address of the account that an order of the owner names. */
  readonly payer?: string;
}

function choose(offers: readonly Offer[], { paying, balances = {}, accounts = [a1, a2, s1], most, payer }: Given = {}) {
  const challenge: Challenge = { dialect: 'x402-mcp', offers, unreadable: ['offer 9: has no scheme'], resource: '', description: '', error: '', textOnly: false, source: new Map(), ...(payer !== undefined && { order: { recipient: PAYEE, known: true, byOwner: true, warnings: [], payer } }) };
  const policy = { ...defaultPolicy('UTC'), ...(paying && { paying }) };
  return chooseOffer(
    {
      keys: { locked: false, accounts: () => accounts, use: () => Promise.reject(new Error('not here')) },
      rails: [rail('eip155'), rail('solana')],
      chain: { networks: () => [SEPOLIA, DEVNET], balance: async (_asset, owner) => baseUnits(balances[owner] ?? 1_000_000_000n) },
      policies: { current: () => ({ number: 1, policy }) },
    },
    { challenge, call: { client: 'c', upstream: 'u', tool: 't', argumentsHash: 'h' }, ...(most && { most }) },
    AbortSignal.timeout(5000),
  );
}

const inSol = (amount = '10000') => offer({ network: DEVNET, asset: MINT, amount });
const chosen = async (offers: readonly Offer[], given?: Given) => {
  const { offer: taken, account: payer } = await choose(offers, given);
  return [offers.indexOf(taken), payer.id];
};

test.each<[string, readonly Offer[], Given, readonly [number, string]]>([
  ['the cheap offer of a later account comes first', [inSol('1'), offer({ amount: '50000' })], {}, [1, 'a1']],
  ["the owner's order of accounts is ignored", [offer(), inSol()], { paying: { accounts: [{ account: s1.address }] } }, [1, 's1']],
  ['an account that the owner named comes after one that is not named', [offer()], { paying: { accounts: [{ account: a2.address.toUpperCase().replace('0X', '0x') }] } }, [0, 'a2']],
  ['the token order is ignored', [offer({ amount: '1' }), offer({ asset: OWN, amount: '500' })], { paying: { trusted: [own], tokens: [own.asset, usdcId] } }, [1, 'a1']],
  ['the dearer of two equal ways is taken', [offer({ amount: '20000' }), offer({ amount: '10000' })], {}, [1, 'a1']],
  ['the order of equal offers is not the one of the server', [offer({ payee: OWN }), offer()], {}, [0, 'a1']],
  ['a token without a price goes before a priced one', [offer({ asset: OWN, amount: '1' }), offer({ amount: '900000' })], { paying: { trusted: [own] } }, [1, 'a1']],
  ['a pegged token is compared in its base units and not in its worth', [offer({ asset: OWN, amount: '2' }), offer({ amount: '19999' })], { paying: { trusted: [{ ...own, pegged: 'USD' }] } }, [1, 'a1']],
  ['the maximum of an account is not held', [offer({ amount: '1000001' })], { paying: { accounts: [{ account: a1.address, max: { amount: '1', unit: 'USD' } }] } }, [0, 'a2']],
  ['an empty account is taken where another one can pay', [offer()], { balances: { [a1.address]: 9_999n } }, [0, 'a2']],
  ['an address that is only watched pays', [offer()], { accounts: [{ ...a1, source: 'watch' }, a2] }, [0, 'a2']],
  ['an empty account ends the search', [offer(), inSol()], { balances: { [a1.address]: 0n, [a2.address]: 0n } }, [1, 's1']],
])('%s', async (_bug, offers, given, expected) => {
  expect(await chosen(offers, given)).toEqual(expected);
});

test.each<[string, Offer, Given, string, RegExp]>([
  ['where every account is only watched', offer(), { accounts: [{ ...a1, source: 'watch' }] }, 'ACCOUNT_MISSING', /no account for Base Sepolia/],
  ['to an address that is watched, so that money goes in a circle', offer({ payee: a1.address }), { accounts: [{ ...a1, source: 'watch' }, a2] }, 'PAYEE_INVALID', /an account of this wallet/],
  ['above every maximum', offer({ amount: '1000001' }), { accounts: [a1], paying: { accounts: [{ account: a1.address, max: { amount: '1', unit: 'USD' } }] } }, 'BUDGET_EXCEEDED', /1\.000001 USDC.*at most \$1 at once/],
  ['in a token that the maximum does not count', offer(), { accounts: [a1], paying: { trusted: [own], accounts: [{ account: a1.address, max: { amount: '1', unit: own.asset } }] } }, 'BUDGET_EXCEEDED', /at most 1 PLAY/],
  ['above what the call may cost', offer(), { most: { amount: '0.0099999999', unit: 'tokens' } }, 'BUDGET_EXCEEDED', /at most 0\.009999 USDC/],
  ['above what the call may cost in base units', offer(), { most: { amount: '9999', unit: 'units' } }, 'BUDGET_EXCEEDED', /at most 0\.009999 USDC/],
  ['in a token that nobody trusts', offer({ asset: OWN }), {}, 'ASSET_UNKNOWN', /0x1111/],
  ['in another token called USDC', offer({ asset: OWN, extra: { name: 'USDC' } }), {}, 'ASSET_MISMATCH', /calls the token 0x1111\S+ "USDC", and USDC on Base Sepolia is 0x036C/],
  ['in USDC with Cyrillic letters', offer({ asset: OWN, extra: { symbol: 'USD\u0421' } }), {}, 'ASSET_MISMATCH', /USDC on Base Sepolia is/],
  ['in USD Coin with an invisible letter', offer({ asset: OWN, extra: { name: 'USD\u200b Coin' } }), {}, 'ASSET_MISMATCH', /USDC on Base Sepolia is/],
  ['in full-width letters', offer({ asset: OWN, extra: { name: '\uff35\uff33\uff24\uff23' } }), {}, 'ASSET_MISMATCH', /USDC on Base Sepolia is/],
  ["at the address of another network's USDC", offer({ asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }), {}, 'ASSET_MISMATCH', /address of USDC on Base$|address of USDC on Base\./],
  ['at an address that begins and ends like that of USDC', offer({ asset: `0x036C${'0'.repeat(32)}CF7e` }), {}, 'ASSET_MISMATCH', /only looks like that of USDC/],
  ['in USDC with 18 decimals', offer({ extra: { decimals: 18 } }), {}, 'ASSET_MISMATCH', /18 decimals, and the registry with 6/],
  ['by a scheme that is known and not paid', offer({ scheme: 'upto' }), {}, 'FLOW_UNSUPPORTED', /"upto"/],
])('an offer is paid, or refused without saying why: %s', async (_name, asked, given, code, words) => {
  const refused = await choose([asked], given).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code, message: expect.stringMatching(words) });
  expect((refused as NoOfferError).considered).toMatchObject([{ taken: false, code }, { taken: false, code: 'CHALLENGE_MALFORMED' }]);
});

test('an offer that was not taken is kept without the reason', async () => {
  const { considered } = await choose([offer({ scheme: 'upto' }), inSol(), offer(), offer({ amount: '20000' })]);
  expect(considered.map(({ taken, code, why }) => [taken, code, why.slice(0, 30)])).toEqual([
    [false, 'FLOW_UNSUPPORTED', 'It wants the payment scheme "u'],
    [false, '', 'Another one comes first in you'],
    [true, '', ''],
    [false, '', 'Another one comes first in you'],
    [false, 'CHALLENGE_MALFORMED', 'offer 9: has no scheme'],
  ]);
});

test('I9: the offers of a payment, or of a refused demand, are not in its row', async () => {
  const world = createWorld({ policy: { otherwise: 'deny' } });
  await world.call([], { answer: { text: mcpChallenge([mcpOffer('1', { scheme: 'barter' }), mcpOffer()]) } }).outcome;
  expect(offersOfText(world.row().offersText)).toMatchObject([{ scheme: 'barter', taken: false, code: 'NO_PAYABLE_OFFER' }, { amount: '10000', taken: true, payee: PAYEE }]);
  await world.call([], { tool: 'other', answer: { text: mcpChallenge([mcpOffer('1', { scheme: 'barter' })]) } }).outcome;
  expect(offersOfText(world.row().offersText)).toMatchObject([{ scheme: 'barter', taken: false }]);
});

test.each(['transfer', 'dev-signature', 'stripe-card'])('I3: an x402 offer reaches the rail of another dialect by its name: %s', async (scheme) => {
  const world = createWorld({ policy: { rules: [], otherwise: 'allow' }, rail: { scheme, flow: 'prepay' } });
  const outcome = await world.call([], { answer: { text: mcpChallenge([mcpOffer('10000', { scheme })]) } }).outcome;
  expect(outcome).toMatchObject({ kind: 'refusal', error: { code: 'NO_PAYABLE_OFFER' } });
  expect(world.row()).toMatchObject({ decision: 'denied', money: 'none' });
  expect(world.state.signed).toEqual([]);
});

test.each<[string, Partial<Offer>, Given, string, RegExp, RegExp]>([
  ['a card that is not added is called a network that is not enabled', { network: 'stripe:card', scheme: 'stripe-card', asset: 'usd' }, {}, 'ACCOUNT_MISSING', /no card is added/, /account add --stripe/],
  ['a missing shared secret is called a network', { network: 'dev:mpx', scheme: 'dev-signature', asset: 'usd' }, {}, 'ACCOUNT_MISSING', /shared development secret, and none is added/, /account add --dev-secret/],
  ['the owner is told to enable a network that nobody knows', { network: 'eip155:999999' }, {}, 'NETWORK_UNSUPPORTED', /does not know/, /^Nothing was paid\.$/],
  ['a known network that is not enabled gets no advice', { network: 'eip155:8453' }, {}, 'NETWORK_UNSUPPORTED', /on Base, which is not enabled here/, /can enable it/],
  ["the caller's own maximum is called a limit of the owner", {}, { most: { amount: '0.001', unit: 'tokens' } }, 'BUDGET_EXCEEDED', /this call may cost at most 0\.001 USDC/, /Allow more with the call/],
])('%s', async (_name, change, given, code, message, hint) => {
  await expect(choose([offer(change), offer(change)], given)).rejects.toMatchObject({ code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
});

test('what an account lets another one spend is no limit, because it pays besides; or nobody but the owner can let it', async () => {
  const agent: Account = { ...account('s2', 'solana'), delegatedFrom: s1.address };
  expect(await chosen([inSol()], { accounts: [s1, agent] })).toEqual([0, 's2']);
  expect(await chosen([inSol()], { accounts: [s1, agent], paying: { accounts: [{ account: s1.address }] } })).toEqual([0, 's1']);
  await expect(choose([inSol()], { accounts: [s1, agent], balances: { [agent.address]: 9_999n } })).rejects.toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
    message: `The account ${agent.address} may spend 0.009999 USDC of what ${s1.address} holds, and 0.01 USDC is asked.`,
  });
});

test('an account that an order names pays although its key lies elsewhere, or why it does not is said of the network', async () => {
  const watched: Account = { ...account('c0'), source: 'watch' };
  const accounts = [a1, watched, s1];
  await expect(choose([offer()], { accounts, payer: watched.address })).rejects.toMatchObject({ code: 'ACCOUNT_MISSING', message: `The account ${watched.address} is only watched, and cannot pay: its key lies elsewhere.` });
  await expect(choose([offer()], { accounts, payer: a2.address })).rejects.toMatchObject({ code: 'ACCOUNT_MISSING', message: expect.stringContaining(`no account ${a2.address} here`) });
  expect((await choose([offer()], { accounts, payer: a1.address })).account).toEqual(a1);
});
