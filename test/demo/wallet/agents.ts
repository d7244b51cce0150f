import assert from 'node:assert/strict';
import { ClientCredentialsProvider } from '@modelcontextprotocol/client';
import type { NewCredential } from '../../../src/shared/contract/client-access.ts';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import type { DelegationAct } from '../../../src/shared/contract/delegations.ts';
import { delegationOnChain } from '../../support/solana-delegation.ts';
import { approved, given, moved, until, usdc, type Step } from './steps.ts';
import { EVM, SOLANA, type WalletWorld } from './world.ts';

const QUERY = 'latitude=52.5&longitude=13.4&date=2026-06-21';
interface Bought {
  readonly status: number;
  readonly payment?: { readonly payer: string; readonly money: { readonly units: string } };
}

const accountsOf = async ({ json }: WalletWorld) => (await json<RouteOutput<'accounts.list'>>(['account', 'list'])).accounts;

export const delegation: Step = {
  step: 'a limit on Solana is approved, paid within, topped up and taken back',
  async run(world) {
    const { json, sandbox, app } = world;
    const savings = (await accountsOf(world)).find(({ namespace, source }) => namespace === 'solana' && source === 'seed')!.address;
    const onChain = () => delegationOnChain(sandbox.solana, savings);
    const agent = await world.agent({ token: app.token });
    assert.equal(given(await agent.call('x402_setup_agent', { amount: '0.05' }))['status'], 'waiting');
    const { requests } = await json<RouteOutput<'requests.list'>>(['request', 'list']);
    const { account = '' } = await json<RouteOutput<'requests.approve'>>(['request', 'approve', requests[0]!.id, '--label', 'Agent', '--yes']);
    const parties = ['--owner', savings, '--delegate', account, '--yes'];
    assert.equal((await json<DelegationAct>(['delegation', 'approve', '0.05', ...parties])).state, 'final');
    assert.deepEqual(await onChain().then(({ delegate, delegated }) => ({ delegate, delegated })), { delegate: account, delegated: 50_000n });

    await json(['account', 'order', account]);
    const seller = sandbox.seller.payTo.solana;
    const { result: bought } = await moved(world, SOLANA, { from: savings, to: seller, units: 10_000n }, () => approved(world, json<Bought>(['pay-url', `${sandbox.seller.apiUrl}/x402-v2/sun_times?${QUERY}`])));
    assert.equal(bought.payment?.payer, account);
    await until(async () => (await onChain()).delegated, (left) => left === 40_000n);
    const { delegations } = given(await agent.call('x402_check_delegation')) as { readonly delegations: readonly { readonly delegate: string; readonly remaining: string }[] };
    assert.equal(delegations.find(({ delegate }) => delegate === account)?.remaining, '0.04');

    await json(['delegation', 'approve', '0.05', '--add', ...parties]);
    assert.equal((await onChain()).delegated, 90_000n);
    await json(['delegation', 'revoke', ...parties]);
    assert.deepEqual(await onChain().then(({ delegate, delegated }) => ({ delegate, delegated })), { delegate: '', delegated: 0n });
    await agent.close();
    return `${account} paid 0.01 USDC of ${savings}: 0.05, then 0.04, with 0.05 more 0.09, then nothing`;
  },
};

export const scopes: Step = {
  step: 'an OAuth client sees and calls what its scopes allow, until it is revoked',
  async run(world) {
    const { json, app } = world;
    const payer = (await accountsOf(world)).find(({ namespace, source }) => namespace === 'eip155' && source === 'seed')!.address;
    const before = await world.held(EVM, payer);
    const added = await json<NewCredential>(['client', 'add', 'reader', '--oauth', '--scope', 'payment_context:read']);
    if (added.credential !== 'oauth') throw new Error('the client got another credential');
    const login = () => ({ authProvider: new ClientCredentialsProvider({ clientId: added.clientId, clientSecret: added.clientSecret, expectedIssuer: new URL(app.mcp).origin }) });
    const narrow = await world.agent(login());
    const seen = await narrow.tools();
    assert.ok(seen.includes('get_payment_context') && !seen.includes('send_to_email'), `it sees ${seen.join(', ')}`);
    await assert.rejects(async () => given(await narrow.call('send_to_email', { email: 'eve@example.org', amount: '0.1' })));
    await json(['client', 'scopes', 'reader', 'email_payments:write']);
    const wider = await world.agent(login());
    assert.ok((await wider.tools()).includes('send_to_email'));
    await json(['client', 'revoke', 'reader']);
    await assert.rejects(wider.call('get_payment_context'));
    assert.equal(await world.held(EVM, payer), before);
    await Promise.all([narrow, wider].map((agent) => agent.close().catch(() => {})));
    return `${seen.length} tools without send_to_email; with it once the owner granted it; none after it was revoked; nothing moved`;
  },
};

export const discovery: Step = {
  step: 'an endpoint of a Bazaar is found, approved, and called as a tool',
  async run(world) {
    const { json, sandbox, app } = world;
    const found = await json<RouteOutput<'discovery.search'>>(['discover', 'search', 'sun', 'times', '--refresh']);
    const url = `${sandbox.seller.apiUrl}/x402-v2/sun_times`;
    assert.ok(found.listings.some((listing) => listing.url === url), 'the Bazaar does not list it');
    const { tool } = await json<{ tool: string }>(['discover', 'approve', url, '--yes']);
    const agent = await world.agent({ token: app.token });
    assert.ok((await agent.tools()).includes(tool));
    // With the main account in front again, it is paid on the EVM network.
    const payer = (await accountsOf(world)).find(({ namespace, source }) => namespace === 'eip155' && source === 'seed')!.address;
    await json(['account', 'order', payer]);
    const { result } = await moved(world, EVM, { from: payer, to: sandbox.seller.payTo.evm, units: 10_000n }, () => approved(world, agent.call(tool, { latitude: 52.5, longitude: 13.4, date: '2026-06-21' })));
    const { httpStatus, body } = given(result);
    assert.equal(httpStatus, 200);
    await agent.close();
    return `${found.listings.length} found; ${tool} sold ${JSON.stringify(body).slice(0, 60)}… for ${usdc(10_000n)}`;
  },
};
