import { describe, expect, test } from 'vitest';
import type { Account } from '../../../src/core/ports.ts';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import type { NetworkId } from '../../../src/core/registry/networks.ts';
import type { Contact } from '../../../src/main/adapters/store/contacts.ts';
import { planSend } from '../../../src/main/wallet/plan-send.ts';
import type { SendRequest, SendTarget, SendTerms } from '../../../src/main/wallet/send-terms.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { evmAccount, random, solanaAccount } from '../rails/fixtures.ts';

const BASE = 'eip155:8453';
const POLYGON = 'eip155:137';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const account: Account = { ...evmAccount(random(32)), id: 'a1', label: 'Main' };
const payee = evmAccount(random(32)).address;
const other = evmAccount(random(32)).address;

const contact = (number: number, addresses: Contact['addresses'], rest: Partial<Contact> = {}): Contact => ({ number, name: `C${number}`, email: '', phone: '', note: '', createdAt: 0, addresses, ...rest });

function plan(to: SendTarget, { contacts = [], networks = [BASE, POLYGON, SOLANA], isContract = async () => false, ...request }: Partial<SendRequest> & { contacts?: readonly Contact[]; networks?: readonly NetworkId[]; isContract?: (network: NetworkId) => Promise<boolean> } = {}, terms: Partial<SendTerms> = {}) {
  return planSend(
    { tool: 'send_to_address', byOwner: false, ...request, to, terms: { amount: '1.5', token: 'USDC', memo: 'x', ...terms } },
    {
      contacts: { list: async () => contacts, get: async (number) => contacts.find((one) => one.number === number)! },
      assets: REGISTERED,
      accounts: () => [account],
      networks: () => networks,
      isContract,
    },
  );
}
const address = (text: string): SendTarget => ({ kind: 'address', address: text });
const networksOf = ({ order }: Awaited<ReturnType<typeof plan>>) => order.offers.map(({ network }) => network);

describe('a send', () => {
  test('is offered on a network that is not enabled, of another kind, or without the token', async () => {
    expect(networksOf(await plan(address(payee)))).toEqual([BASE, POLYGON]);
    expect(networksOf(await plan(address(payee), { networks: [POLYGON] }))).toEqual([POLYGON]);
    expect(networksOf(await plan(address((await solanaAccount(random(32))).address)))).toEqual([SOLANA]);
    expect(networksOf(await plan(address(payee), {}, { network: 'base' }))).toEqual([BASE]);
    await expect(plan(address(payee), { networks: [SOLANA] })).rejects.toMatchObject({ code: 'NETWORK_UNSUPPORTED' });
  });

  test('of a network’s coin moves its token, or another coin', async () => {
    const { order } = await plan(address(payee), {}, { token: 'eth', amount: '0.000000000000000001' });
    expect(order.offers).toEqual([{ network: BASE, asset: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', amount: '1', payee }]);
  });

  test('written otherwise has another identity, so that it is made twice', async () => {
    const texts = await Promise.all([plan(address(payee)), plan(address(payee.toLowerCase())), plan(address(` ${payee} `))]);
    expect(new Set(texts.map(({ order }) => order.argumentsText)).size).toBe(1);
    const [byName, byId] = await Promise.all([plan(address(payee), {}, { network: 'Base' }), plan(address(payee), {}, { network: BASE })]);
    expect(byName.order.argumentsText).toBe(byId.order.argumentsText);
    expect((await plan(address(payee), {}, { memo: 'y' })).order.argumentsText).not.toBe(byId.order.argumentsText);
  });

  test('goes to a contact’s address of another network', async () => {
    const ada = contact(1, [{ chain: 'eip155', address: payee }, { chain: BASE, address: other }]);
    const { order } = await plan({ kind: 'contact', number: 1 }, { contacts: [ada] });
    expect(order.offers.map(({ network, payee: to }) => [network, to])).toEqual([[BASE, other], [POLYGON, payee]]);
    await expect(plan({ kind: 'contact', number: 1 }, { contacts: [contact(1, [{ chain: BASE, address: other }])] }, { network: 'Solana' })).rejects.toMatchObject({ code: 'CONTACT_UNPAYABLE' });
  });

  test('I7: counts as known where the owner wrote the address down for another network alone', async () => {
    const contacts = [contact(4, [{ chain: BASE, address: payee }])];
    expect((await plan(address(payee), { contacts }, { network: BASE })).order).toMatchObject({ known: true, recipient: 'contact 4 (C4)' });
    expect((await plan(address(payee), { contacts })).order).toMatchObject({ known: false, recipient: payee });
    expect((await plan(address(other), { contacts })).order.known).toBe(false);
  });

  test('I7: to a contract, or to what only looks like a contact, does not say so; or a contact is warned of again', async () => {
    const isContract = async (network: NetworkId) => network === BASE;
    expect((await plan(address(payee), { isContract })).order.warnings).toEqual(['the address is a contract on Base: money may be lost there']);
    expect((await plan(address(payee), { isContract, contacts: [contact(1, [{ chain: 'eip155', address: payee }])] })).order.warnings).toEqual([]);
    const twin = `0x${payee.slice(2, 6)}${'2'.repeat(32)}${payee.slice(-4)}`.toLowerCase();
    expect((await plan(address(twin), { contacts: [contact(1, [{ chain: 'eip155', address: payee }])] })).order.warnings).toEqual([expect.stringContaining('looks like that of contact 1')]);
    const wallet = (await solanaAccount(random(32))).address;
    expect((await plan(address(wallet), { isContract: async () => true })).order.warnings).toEqual(['the address is an account of a program on Solana and no wallet: money may be lost there']);
    expect((await plan(address(wallet))).order.warnings).toEqual([]);
    const failing = () => Promise.reject(new Error('no RPC'));
    expect((await plan(address(payee), { isContract: failing })).order.warnings).toEqual([]);
  });

  test('while the keys are locked is refused, though the owner could unlock when they are asked', async () => {
    const locked = () => Promise.reject(new BursarError('WALLET_LOCKED', 'Bursar is locked.'));
    const ports = { contacts: { list: locked, get: locked }, assets: REGISTERED, accounts: () => [account], networks: () => [BASE] as const, isContract: async () => false };
    const terms = { amount: '1', token: 'USDC', memo: '' };
    expect((await planSend({ tool: 'send_to_address', byOwner: false, to: address(payee), terms }, ports)).order.known).toBe(false);
    await expect(planSend({ tool: 'send_to_contact', byOwner: false, to: { kind: 'contact', number: 1 }, terms }, ports)).rejects.toMatchObject({ code: 'WALLET_LOCKED' });
  });

  test('to the account that pays is planned', async () => {
    await expect(plan(address(account.address))).rejects.toMatchObject({ code: 'PAYEE_INVALID' });
    await expect(plan(address(account.address), { byOwner: true })).rejects.toMatchObject({ code: 'PAYEE_INVALID', message: `${account.address} is the account that would pay.` });
  });
});
