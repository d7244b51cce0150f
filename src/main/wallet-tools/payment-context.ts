import { z } from 'zod';
import type { Clock, Journal, Policies } from '../../core/ports.ts';
import { assetsOf } from '../../core/policy/policy-assets.ts';
import { capLabel } from '../../core/policy/assess.ts';
import { claimedName } from '../../core/policy/unverified.ts';
import { decimalsOfUnit, limitOf, unitName } from '../../core/policy/units.ts';
import { isChain, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import type { Scope } from '../../shared/access/scopes.ts';
import type { Environment } from '../../shared/contract/app.ts';
import { isBursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Balances } from '../adapters/balances.ts';
import type { ContactStore } from '../adapters/store/contacts.ts';
import { defineTool, type WalletTool } from './define-tool.ts';

export interface PaymentContextDeps {
  readonly environment: Environment;
  readonly policies: Policies;
  readonly journal: Pick<Journal, 'atomically'>;
  readonly balances: Pick<Balances, 'read'>;
  readonly contacts: Pick<ContactStore, 'list'>;
  readonly networks: () => readonly NetworkId[];
  readonly clock: Pick<Clock, 'now'>;
  /** What the client was granted. */
  readonly scopesOf: (client: string, limit?: readonly Scope[]) => readonly Scope[];
  /** True where contacts without an address can be paid by escrow. */
  readonly escrow: boolean;
}

const Context = z.object({
  money: z.enum(['real', 'play']).describe('Whether the money is worth something.'),
  paused: z.boolean().describe('The owner has paused all payments.'),
  locked: z.boolean().describe('The keys are locked: the owner has to unlock Bursar before anything is paid, and contacts are not listed.'),
  budgets: z
    .array(z.object({ limit: z.string(), used: z.string(), left: z.string(), unit: z.string(), window: z.string() }))
    .describe('Every limit of the owner that counts your payments. Amounts are decimal numbers in the unit: USD, payments or a token.'),
  balances: z
    .array(z.object({ network: z.string(), token: z.string(), amount: z.string(), stale: z.boolean() }))
    .describe('What the accounts hold together, by network and token. Stale figures could not be read anew.'),
  contacts: z
    .array(z.object({ number: z.number().int(), name: z.string(), payable: z.enum(['direct', 'escrow', 'no']) }))
    .describe('The owner\'s contacts, for send_to_contact. payable: direct to an address, by escrow, or not at all.'),
  capabilities: z
    .object({ sendToContact: z.boolean(), sendToAddress: z.boolean(), sendToEmail: z.boolean(), sendToSms: z.boolean(), payServers: z.boolean() })
    .describe('What you were granted.'),
  networks: z.array(z.string()).describe('The networks that are enabled.'),
});
type Context = z.infer<typeof Context>;

/** What an agent has to know before it pays. Names and numbers of contacts alone: where they are paid and how they are reached is the owner's affair. */
export function createPaymentContext({ environment, policies, journal, balances, contacts, networks, clock, scopesOf, escrow }: PaymentContextDeps): WalletTool {
  return defineTool({
    name: 'get_payment_context',
    title: 'Payment context',
    description: 'Tells the budgets and what is left of them, the balances, the contacts with their numbers, and what you may do. Reads only; it pays nothing.',
    scope: 'payment_context:read',
    input: z.strictObject({}),
    output: Context,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async run(_input, { client, scopes: limit, session }) {
      const enabled = networks().filter(isChain);
      const [held, listed] = await Promise.all([balances.read(), listedContacts(contacts)]);
      const scopes = scopesOf(client, limit);
      const structured: Context = {
        money: environment === 'mainnet' ? 'real' : 'play',
        paused: policies.current().policy.paused ?? false,
        locked: listed === undefined,
        budgets: budgetsOf(client, session),
        balances: sums(held.filter(({ asset }) => isChain(asset.network))),
        contacts: (listed ?? []).map(({ number, name, addresses, email }) => {
          const direct = addresses.some(({ chain }) => enabled.some((id) => id === chain || id.startsWith(`${chain}:`)));
          return { number, name, payable: direct ? 'direct' : escrow && email !== '' ? 'escrow' : 'no' };
        }),
        capabilities: {
          sendToContact: scopes.includes('contact_payments:write'),
          sendToAddress: scopes.includes('address_payments:write'),
          sendToEmail: scopes.includes('email_payments:write'),
          sendToSms: scopes.includes('sms_payments:write'),
          payServers: scopes.includes('x402:execute'),
        },
        networks: enabled.map((id) => requireNetwork(id).name),
      };
      return { kind: 'success', text: inWords(structured), structured };
    },
  });

  function budgetsOf(client: string, session: string): Context['budgets'] {
    const { policy } = policies.current();
    const assets = assetsOf(policy);
    return policy.caps.flatMap((cap, index) => {
      const { over, unit, amount, window } = cap;
      if (over.client !== undefined && over.client !== client && over.client !== claimedName(client)) return [];
      const decimals = decimalsOfUnit(unit, assets) ?? 0;
      const limit = limitOf(amount, unit, assets);
      const used = window === 'call' ? 0n : journal.atomically((tx) => tx.used(policy, index, { at: Math.max(clock.now(), tx.highWater()), session }));
      const write = (units: bigint) => formatUnits(units, decimals, Math.min(2, decimals));
      return [{ limit: write(limit), used: write(used), left: write(limit > used ? limit - used : 0n), unit: unitName(unit, assets), window: capLabel(cap) }];
    });
  }
}

/** Undefined while they cannot be opened. */
async function listedContacts(contacts: Pick<ContactStore, 'list'>) {
  try {
    return await contacts.list();
  } catch (error) {
    if (isBursarError(error, 'WALLET_LOCKED')) return undefined;
    throw error;
  }
}

function sums(held: Awaited<ReturnType<Balances['read']>>): Context['balances'] {
  const found = new Map<string, { network: string; token: string; decimals: number; units: bigint; stale: boolean }>();
  for (const { asset, units, stale } of held) {
    const key = `${asset.network} ${asset.address}`;
    const before = found.get(key);
    found.set(key, { network: requireNetwork(asset.network).name, token: asset.symbol, decimals: asset.decimals, units: (before?.units ?? 0n) + (units ?? 0n), stale: stale || (before?.stale ?? false) });
  }
  return [...found.values()].map(({ network, token, decimals, units, stale }) => ({ network, token, amount: formatUnits(units, decimals, Math.min(2, decimals)), stale }));
}

function inWords({ money, paused, locked, budgets, balances, contacts, capabilities, networks }: Context): string {
  const lines = [
    `Money: ${money === 'real' ? 'real' : 'play money'}, on ${networks.join(', ') || 'no network'}.`,
    ...(paused ? ['The owner has paused all payments.'] : []),
    ...(locked ? ['Bursar is locked: the owner has to unlock it before anything is paid.'] : []),
    'Budget:',
    ...(budgets.length === 0 ? ['- no limit is set'] : budgets.map(({ window, used, limit, left, unit }) => `- ${window}: ${used} of ${limit} ${unit} used or held, ${left} left`)),
    'Balance:',
    ...(balances.length === 0 ? ['- nothing is known'] : balances.map(({ network, token, amount, stale }) => `- ${amount} ${token} on ${network}${stale ? ' (not read anew)' : ''}`)),
    'Contacts:',
    ...(contacts.length === 0 ? ['- none'] : contacts.map(({ number, name, payable }) => `- ${number}: ${name}${payable === 'direct' ? '' : payable === 'escrow' ? ' (by escrow)' : ' (cannot be paid: no address)'}`)),
    `You may: ${MAY.filter(([key]) => capabilities[key]).map(([, words]) => words).join(', ') || 'look only'}.`,
  ];
  return lines.join('\n');
}

const MAY = [
  ['sendToContact', 'send to contacts (send_to_contact)'],
  ['sendToAddress', 'send to addresses (send_to_address)'],
  ['sendToEmail', 'send to e-mail addresses (send_to_email)'],
  ['sendToSms', 'send to phone numbers (send_to_sms)'],
  ['payServers', 'pay servers that ask for money'],
] as const satisfies readonly (readonly [keyof Context['capabilities'], string])[];
