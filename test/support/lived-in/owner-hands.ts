import { EVM_NETWORK, EVM_USDC } from '../../../src/sandbox/networks.ts';
import type { AppProcess } from '../app-process.ts';
import { addClient, ownerContract, type OwnerContract } from '../contract.ts';
import { httpAgent, type ToolAnswer } from '../http-agent.ts';
import type { OwnerBrowser } from '../owner-browser.ts';

const GRACE = '0x1CBd3b2770909D4e10f157cABC84C7264073C9Ec';
const SAVINGS = '0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097';
const ADA_EVM = '0xFABB0ac9d68B0B445fB7357272Ff202C5651694a';
const ADA_SOLANA = '7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q';

/** What waits for the owner when they have settled in. */
export interface SettledIn {
  readonly waiting: Promise<readonly ToolAnswer[]>;
}

/** Does what a person does in the first weeks: servers, budgets, contacts, clients, an alert, payments of every kind. Three are left waiting. */
export async function settleIn(app: AppProcess, owner: OwnerBrowser): Promise<SettledIn> {
  const contract = await ownerContract(app.home);
  try {
    await addServers(contract);
    await setBudgets(contract);
    await contract.request('contacts.add', { name: 'Ada Lovelace', email: 'ada@example.org', phone: '+4915123456789', note: 'Pays back on Fridays', addresses: [{ chain: 'eip155', address: ADA_EVM }, { chain: 'solana', address: ADA_SOLANA }] });
    await contract.request('contacts.add', { name: 'Grace Hopper', email: '', phone: '', note: '', addresses: [{ chain: EVM_NETWORK, address: GRACE }] });
    await contract.request('contacts.add', { name: 'Alan', email: 'alan@example.org', phone: '', note: '', addresses: [] });
    await contract.request('accounts.watch', { namespace: 'eip155', label: 'Savings, watched', address: SAVINGS });
    await contract.request('accounts.setAlert', { asset: `${EVM_NETWORK}/erc20:${EVM_USDC}`, amount: '2500' });
    const tokens = { desktop: await addClient(contract, 'Claude Desktop'), cursor: await addClient(contract, 'Cursor', ['payment_context:read', 'x402:execute', 'contact_payments:write', 'email_payments:write']) };
    await contract.request('clients.add', { name: 'research-agent', credential: 'oauth', scopes: ['payment_context:read', 'x402:execute'] });

    const demo = await httpAgent(app);
    await Promise.all([demo.call('sun_times', { latitude: 52.52, longitude: 13.405, date: '2026-06-21' }), owner.decide('Approve')]);
    await Promise.all([demo.call('moon_phase', { date: '2026-06-21' }), owner.decide('Approve')]);
    await Promise.all([demo.call('sky_report', { latitude: 52.52, longitude: 13.405, date: '2026-06-21' }), owner.decide('Reject')]);
    await Promise.all([contract.request('sends.send', { to: { contact: 1 }, amount: '4.50', network: EVM_NETWORK, memo: 'lunch' }), owner.decide('Approve')]);
    await contract.request('escrows.setPage', { pageUrl: 'https://pay.example.org/claim/' });
    await Promise.all([contract.request('escrows.send', { kind: 'email', to: 'alan@example.org', amount: '2.50', network: EVM_NETWORK, memo: 'for the tickets' }), owner.decide('Approve')]);

    await contract.request('onboarding.set', { closed: true });

    const [desktop, cursor] = [await httpAgent({ mcp: app.mcp, token: tokens.desktop }, 'weather'), await httpAgent({ mcp: app.mcp, token: tokens.cursor }, 'papers')];
    const waiting = Promise.all([
      desktop.call('sun_times', { latitude: 38.72, longitude: -9.14, date: '2026-12-21' }),
      cursor.call('sky_report', { latitude: 41.15, longitude: -8.61, date: '2026-12-21' }),
      demo.call('moon_phase', { date: '2026-12-21' }),
    ]);
    waiting.catch(() => undefined);
    return { waiting };
  } finally {
    contract.close();
  }
}

/** Beside the sandbox's own: three under other names, and one that is down. */
async function addServers(contract: OwnerContract): Promise<void> {
  const { upstreams } = await contract.request('upstreams.list', {});
  const url = upstreams.find(({ name }) => name === 'demo')?.address ?? '';
  for (const name of ['weather', 'papers', 'maps']) await contract.request('upstreams.add', { name, transport: { kind: 'http', url } });
  await contract.request('upstreams.add', { name: 'translate', transport: { kind: 'http', url: 'http://127.0.0.1:9/mcp' } });
}

async function setBudgets(contract: OwnerContract): Promise<void> {
  const { number, policy } = await contract.request('policy.get', {});
  await contract.request('policy.set', {
    basedOn: number,
    policy: {
      ...policy,
      caps: [
        { over: {}, window: 'call', unit: 'USD', amount: '5.00' },
        { over: {}, window: 'day', unit: 'USD', amount: '20.00' },
        { over: { upstream: 'weather' }, window: 'day', unit: 'USD', amount: '0.60' },
        { over: { upstream: 'papers' }, window: 'call', unit: 'USD', amount: '0.50' },
        { over: { upstream: 'papers' }, window: 'day', unit: 'USD', amount: '3.00' },
      ],
      rules: [
        { when: { changedTerms: true }, verdict: 'ask' },
        { when: { upstream: 'maps' }, verdict: 'allow' },
        { when: { upstream: 'translate' }, verdict: 'deny' },
      ],
    },
  });
}
