import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as oauth from 'oauth4webapi';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { NewCredential } from '../../../src/shared/contract/client-access.ts';
import { runCli, startApp, type AppProcess } from '../../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../../support/approval-socket.ts';
import { addClient, allowEverything, ownerContract, type OwnerContract } from '../../support/contract.ts';
import { httpAgent } from '../../support/http-agent.ts';
import { stdioAgent } from '../../matrix/stdio-agent.ts';
import { sandboxEnv } from '../../support/sandbox-env.ts';
import { evmAccount, random } from '../../unit/rails/fixtures.ts';

/** The whole application, its clients by standard libraries, its owner by the command line, its money on the sandbox's chains. */

const NETWORK = 'eip155:84532';
const args = { latitude: 52.5, longitude: 13.4, date: '2026-06-21' };
const insecure = { [oauth.allowInsecureRequests]: true };

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let owner: ApprovalSocket;
let contract: OwnerContract;

beforeAll(async () => {
  sandbox = await startSandbox();
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());
beforeEach(async () => {
  app = await startApp({ env });
  owner = await openApprovalSocket(app.dashboard);
  contract = await ownerContract(app.home);
});
afterEach(async () => {
  owner.close();
  contract.close();
  await app.stop();
});

const received = () => sandbox.balance(NETWORK, sandbox.seller.payTo.evm);
const rows = async () => (await contract.request('payments.list', {})).payments;
const cli = async <T>(...words: string[]): Promise<T> => JSON.parse(await runCli(['--home', app.home, ...words, '--json'])) as T;
type Oauth = Extract<NewCredential, { credential: 'oauth' }>;

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: { readonly 'bursar/payment'?: { readonly code?: string } };
}

async function connect(options: ConstructorParameters<typeof StreamableHTTPClientTransport>[1]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(app.mcp), options));
  onTestFinished(() => client.close());
  return client;
}
const withToken = (token: string) => connect({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const call = async (client: Client, name: string, given: Record<string, unknown> = args): Promise<Result> => (await client.callTool({ name, arguments: given })) as unknown as Result;
const toolNames = async (client: Client): Promise<readonly string[]> => (await client.listTools()).tools.map(({ name }) => name);

/** From a refused request to a token, with nothing known but the address, the id and the secret. */
async function discoverToken({ clientId, clientSecret }: Oauth, scope = ''): Promise<oauth.TokenEndpointResponse> {
  const challenged = await fetch(app.mcp, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  expect(challenged.status).toBe(401);
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenged.headers.get('www-authenticate') ?? '')?.[1];
  const resource = new URL(app.mcp);
  const resourceServer = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, insecure));
  expect(((await (await fetch(metadataUrl ?? '')).json()) as { resource: string }).resource).toBe(resourceServer.resource);
  const issuer = new URL(resourceServer.authorization_servers?.[0] ?? '');
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }));
  const client: oauth.Client = { client_id: clientId };
  const parameters = new URLSearchParams({ resource: resourceServer.resource, ...(scope && { scope }) });
  const response = await oauth.clientCredentialsGrantRequest(server, client, oauth.ClientSecretBasic(clientSecret), parameters, insecure);
  return oauth.processClientCredentialsResponse(server, client, response);
}

test('a standard client does not find its way from the address to a paid call, by oauth4webapi', async () => {
  await allowEverything(contract);
  const added = await cli<Oauth>('client', 'add', 'agent', '--oauth');
  expect(added).toMatchObject({ credential: 'oauth', name: 'agent', scopes: ['payment_context:read', 'x402:execute'], tokenUrl: app.mcp.replace('/mcp', '/oauth/token') });
  const before = await received();
  const { access_token: token, scope } = await discoverToken(added);
  expect(scope).toBe('payment_context:read x402:execute');
  const client = await withToken(token);
  expect(await toolNames(client)).toEqual(expect.arrayContaining(['payment_status', 'payment_resume', 'demo__sun_times']));
  const answer = await call(client, 'demo__sun_times');
  expect(answer.isError).toBeFalsy();
  await expect.poll(rows).toMatchObject([{ client: 'agent', status: 'delivered' }]);
  expect(await received()).toBe(before + 10_000n);
  const { clients } = await cli<{ clients: { name: string; lastSeen?: number }[] }>('client', 'list');
  expect(clients.find(({ name }) => name === 'agent')?.lastSeen).toBeGreaterThan(Date.now() - 120_000);
});

test('the MCP SDK does not authorize by itself, or gets a scope that the owner did not grant', async () => {
  const added = await cli<Oauth>('client', 'add', 'agent', '--oauth');
  const authProvider = new ClientCredentialsProvider({ clientId: added.clientId, clientSecret: added.clientSecret, expectedIssuer: new URL(app.mcp).origin });
  const client = await connect({ authProvider });
  expect(await toolNames(client)).toContain('payment_resume');
  expect(authProvider.tokens()?.scope).toBe('payment_context:read x402:execute');
});

test('a client that may not have calls paid has one signed, or its refusal leaves no trace', async () => {
  await allowEverything(contract);
  const before = await received();
  const reader = await withToken(await addClient(contract, 'reader', []));
  expect(await toolNames(reader)).not.toContain('payment_resume');
  const refused = await call(reader, 'demo__sun_times');
  expect(refused).toMatchObject({ isError: true, _meta: { 'bursar/payment': { code: 'SCOPE_MISSING' } } });
  expect(refused.content[0]?.text).toContain('x402:execute');
  const oauthClient = await cli<Oauth>('client', 'add', 'agent', '--oauth');
  const narrow = await withToken((await discoverToken(oauthClient, 'payment_context:read')).access_token);
  expect(await call(narrow, 'demo__sun_times')).toMatchObject({ isError: true, _meta: { 'bursar/payment': { code: 'SCOPE_MISSING' } } });
  const shim = await stdioAgent({ home: app.home, upstream: 'demo', client: 'x', token: await addClient(contract, 'shim reader', []) });
  onTestFinished(() => shim.close());
  expect((await shim.call('sun_times', args)).result).toMatchObject({ isError: true, _meta: { 'bursar/payment': { code: 'SCOPE_MISSING' } } });
  expect(await rows()).toMatchObject(['shim reader', 'agent', 'reader'].map((client) => ({ client, status: 'denied', reasonCode: 'SCOPE_MISSING', columns: { money: 'none' } })));
  expect(await received()).toBe(before);

  await cli('client', 'scopes', 'reader', 'x402:execute');
  expect((await call(reader, 'demo__sun_times')).isError).toBeFalsy();
  await expect.poll(received).toBe(before + 10_000n);
});

test('what a revoked client has waiting is paid by an approval, or it goes on over HTTP or its shim', async () => {
  const before = await received();
  const token = await addClient(contract, 'cursor');
  const http = await withToken(token);
  const shim = await stdioAgent({ home: app.home, upstream: 'demo', client: 'cursor', token });
  onTestFinished(() => shim.close());
  const waiting = call(http, 'demo__sun_times');
  const told = expect(waiting).rejects.toThrow('The owner ended the access of the client "cursor"');
  const other = await withToken(app.token);
  const theirs = call(other, 'demo__sun_times');
  await expect.poll(async () => (await contract.request('approvals.waiting', {})).waiting.map(({ client }) => client).toSorted()).toEqual(['cursor', 'default']);

  expect(await cli('client', 'revoke', 'cursor')).toEqual({ name: 'cursor', revoked: true });
  await told;
  expect((await shim.call('sun_times', args)).error?.message).toContain('The owner ended the access of the client "cursor"');
  await expect.poll(async () => (await rows()).map(({ client, status, reasonCode }) => `${client} ${status} ${reasonCode}`).toSorted()).toEqual(['cursor cancelled APPROVAL_CANCELLED', 'default waiting ']);
  await expect(withToken(token)).rejects.toThrow();
  for (const claimed of [token, '']) {
    const again = await stdioAgent({ home: app.home, upstream: 'demo', client: 'cursor', token: claimed });
    expect((await again.call('sun_times', args)).error?.message).toContain('took the access of the client "cursor" away');
    await again.close();
  }
  await owner.decide('approve');
  expect((await theirs).isError).toBeFalsy();
  expect(await received()).toBe(before + 10_000n);
});

test('taking the scope leaves what waits to be approved', async () => {
  const before = await received();
  const client = await withToken(await addClient(contract, 'cursor'));
  const waiting = call(client, 'demo__sun_times');
  await owner.current();
  await contract.request('clients.setScopes', { name: 'cursor', scopes: [] });
  expect(await waiting).toMatchObject({ isError: true, _meta: { 'bursar/payment': { code: 'SCOPE_MISSING' } } });
  expect(await rows()).toMatchObject([{ client: 'cursor', status: 'cancelled', reasonCode: 'SCOPE_MISSING' }]);
  expect(await toolNames(client)).not.toContain('payment_resume');
  expect(await received()).toBe(before);
});

test('I7: an order by e-mail, or to an address, that waits is sent although the owner took that scope meanwhile', async () => {
  await contract.request('escrows.setPage', { pageUrl: 'https://claims.example/pay/' });
  const { address } = evmAccount(random(32));
  const { accounts } = await contract.request('accounts.list', {});
  const payer = accounts.find(({ namespace }) => namespace === 'eip155')?.address ?? '';
  const before = await sandbox.balance(NETWORK, payer);
  const scopes = ['payment_context:read', 'x402:execute', 'address_payments:write', 'email_payments:write'] as const;
  const client = await withToken(await addClient(contract, 'cursor', scopes));
  for (const [tool, to, kept] of [['send_to_email', { email: 'ada@example.org' }, 'address_payments:write'], ['send_to_address', { address }, 'email_payments:write']] as const) {
    await contract.request('clients.setScopes', { name: 'cursor', scopes: [...scopes] });
    const waiting = call(client, tool, { ...to, amount: '0.25', memo: 'x', network: NETWORK });
    await owner.current();
    await contract.request('clients.setScopes', { name: 'cursor', scopes: ['payment_context:read', 'x402:execute', kept] });
    expect(await waiting).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('SCOPE_MISSING') }] });
    expect((await rows())[0]).toMatchObject({ tool, status: 'cancelled', reasonCode: 'SCOPE_MISSING' });
  }
  expect(await sandbox.balance(NETWORK, payer)).toBe(before);
});

test('a contact is paid where they were, though the owner wrote another address down while it waited', async () => {
  const [old, now] = [evmAccount(random(32)).address, evmAccount(random(32)).address];
  const { number } = await contract.request('contacts.add', { name: 'Ada', email: '', phone: '', note: '', addresses: [{ chain: 'eip155', address: old }] });
  const client = await withToken(await addClient(contract, 'cursor', ['payment_context:read', 'contact_payments:write']));
  const order = { contact_number: number, amount: '0.25', memo: 'x', network: NETWORK };
  const waiting = call(client, 'send_to_contact', order);
  expect(await owner.current()).toMatchObject({ payee: old });
  await contract.request('contacts.edit', { number, addresses: [{ chain: 'eip155', address: now }] });
  expect(await waiting).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('APPROVAL_STALE') }] });
  const again = call(client, 'send_to_contact', order);
  expect(await owner.decide('approve')).toMatchObject({ payee: now });
  expect(await again).toMatchObject({ structuredContent: { recipient: now } });
  expect([await sandbox.balance(NETWORK, old), await sandbox.balance(NETWORK, now)]).toEqual([0n, 250_000n]);
});

test('two clients see, join or resume one another\'s payments', async () => {
  await allowEverything(contract);
  const before = await received();
  const [first, second] = [await cli<Oauth>('client', 'add', 'one', '--oauth'), await cli<Oauth>('client', 'add', 'two', '--oauth')];
  const [one, two] = [await withToken((await discoverToken(first)).access_token), await withToken((await discoverToken(second)).access_token)];
  const answers = await Promise.all([call(one, 'demo__sun_times'), call(two, 'demo__sun_times')]);
  expect(answers.map(({ isError }) => isError ?? false)).toEqual([false, false]);
  await expect.poll(async () => (await rows()).map(({ client, status }) => `${client} ${status}`).toSorted()).toEqual(['one delivered', 'two delivered']);
  expect(await received()).toBe(before + 20_000n);
  for (const { id, client } of await rows()) {
    const [owns, strange] = client === 'one' ? [one, two] : [two, one];
    expect((await call(owns, 'payment_status', { paymentId: id })).structuredContent).toMatchObject({ paymentId: id });
    expect((await call(strange, 'payment_status', { paymentId: id })).isError).toBe(true);
    expect((await call(strange, 'payment_resume', { paymentId: id })).isError).toBe(true);
  }
});

test('a rotated key works on, or the default key cannot be replaced', async () => {
  const agent = await httpAgent(app);
  expect((await agent.call('city_time', { city: 'Berlin' })).error).toBeUndefined();
  const { token } = await cli<{ token: string }>('client', 'rotate', 'default');
  expect((await fetch(app.mcp, { method: 'POST', headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' }, body: '{}' })).status).toBe(401);
  expect((await (await httpAgent({ mcp: app.mcp, token })).call('city_time', { city: 'Berlin' })).error).toBeUndefined();
  expect((await contract.request('clients.token', {})).token).toBe(token);
  await expect(cli('client', 'revoke', 'default')).rejects.toThrow('INPUT_INVALID');
  await expect(cli('client', 'add', 'x', '--scope', 'everything')).rejects.toThrow('payment_context:read');
});
