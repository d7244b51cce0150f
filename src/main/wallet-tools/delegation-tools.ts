import { z } from 'zod';
import type { Account } from '../../core/ports.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits, parseUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { OwnToolAnswer } from '../bridge/aggregate/own-tools.ts';
import { amountArgument } from '../wallet/amount.ts';
import { requireSolana, requireToken } from '../wallet/delegation-order.ts';
import type { DelegationFacts } from '../wallet/list-delegations.ts';
import { REQUEST_SCOPE, type AgentRequests, type RequestParams, type StoredRequest } from '../wallet/requests.ts';
import { agentError } from './agent-errors.ts';
import { defineTool, failed, type ToolSuccess, type WalletTool } from './define-tool.ts';

export interface DelegationToolsDeps {
  readonly requests: AgentRequests;
  readonly list: () => Promise<{ readonly delegations: readonly DelegationFacts[]; readonly unreachable: readonly NetworkId[] }>;
  readonly accounts: () => readonly Account[];
  /** Addresses of the accounts that were made for agents. */
  readonly agentAccounts: () => readonly string[];
  readonly assets: Assets;
  readonly networks: () => readonly NetworkId[];
}

const Passphrase = z.unknown().optional().describe('Ignored. Keys and passphrases are the owner’s affair: never send a secret through a tool.');
const TokenAccount = z.string().min(32).max(44).optional().describe('Only this token account, where there are several.');
const Reason = z.string().max(500).optional().describe('Why, in a sentence. The owner reads it.');

const Requested = z.object({
  status: z.enum(['waiting', 'approved', 'rejected', 'expired']).describe('Nothing happens before it is approved.'),
  requestId: z.string().describe('The request that the owner sees.'),
  says: z.string().describe('How it stands, in a sentence.'),
  account: z.string().optional().describe('The account that was made.'),
  expiresAt: z.string().describe('Until when the owner can decide, as an ISO 8601 time.'),
});
type Requested = z.infer<typeof Requested>;

const Checked = z.object({
  delegations: z.array(
    z.object({
      tokenAccount: z.string().describe('The token account that is spent from.'),
      owner: z.string().describe('Whose token account it is.'),
      delegate: z.string().describe('The account here that may spend from it.'),
      token: z.string(),
      network: z.string(),
      remaining: z.string().describe('What is left of the approval, in whole tokens.'),
      approved: z.string().optional().describe('What was approved, where it is known here.'),
      balance: z.string().describe('What the token account holds.'),
      spendable: z.string().describe('What can be spent now: the smaller one of the two.'),
    }),
  ),
});

const HINTS = { readOnly: false, destructive: false, idempotent: true, openWorld: false } as const;
const ASKS = 'It asks the owner and answers at once; nothing happens before they approve. Call it again later to hear how that stands: it asks once for the same.';

/** Spending that Solana itself limits. What would give an agent authority, or take it, is a request to the owner (I7). */
export function createDelegationTools({ requests, list, accounts, agentAccounts, assets, networks }: DelegationToolsDeps): readonly WalletTool[] {
  const own = () => accounts().filter(({ namespace, source }) => namespace === 'solana' && source !== 'watch');
  /** What agents are told of: what accounts of this wallet may spend. */
  async function ofAgents(tokenAccount: string | undefined) {
    const { delegations, unreachable } = await list();
    const mine = delegations.filter((one) => own().some(({ address }) => address === one.delegate) && (tokenAccount === undefined || one.tokenAccount === tokenAccount));
    const active = mine.filter(({ state }) => state === 'active');
    if (active.length === 0 && unreachable.length > 0) throw new BursarError('CHAIN_UNREACHABLE', `${unreachable.map((id) => requireNetwork(id).name).join(' and ')} did not answer.`);
    return { active, isUsedUp: mine.some(({ state }) => state === 'ended') };
  }

  /** The account that is meant where agents already have one. */
  const agentAccount = (): Account | undefined => own().find(({ address, delegatedFrom }) => delegatedFrom !== undefined || agentAccounts().includes(address));

  function wanted(argumentsText: string, { amount, token = 'USDC', network }: { amount?: unknown; token?: string | undefined; network?: string | undefined }): Pick<RequestParams, 'amount' | 'network' | 'asset'> {
    if (amount === undefined) return { amount: '', network: '', asset: '' };
    const asset = requireToken(token, requireSolana(network, networks()), assets);
    const written = amountArgument(argumentsText);
    parseUnits(written, asset.decimals);
    return { amount: written, network: asset.network, asset: asset.address };
  }

  return [
    defineTool({
      name: 'x402_setup_agent',
      title: 'Ask for an account and a spending limit',
      description: `Asks the owner for a Solana account that pays for you and, with an amount, for a spending limit that the chain enforces. Where you have an account, an amount asks for another limit in place of the one in force. The keys stay with the owner. ${ASKS}`,
      scope: REQUEST_SCOPE,
      input: z.object({
        amount: z.union([z.string().min(1).max(100), z.number()]).optional().describe('What you want to be allowed to spend all together, in whole tokens, such as "25".'),
        token: z.string().min(1).max(50).optional().describe('Symbol of the token; USDC without it.'),
        network: z.string().min(1).max(64).optional().describe('Solana network by its name or CAIP-2 id, where several are enabled.'),
        force: z.boolean().optional().describe('Ask for another account although there is one.'),
        reason: Reason,
        passphrase: Passphrase,
      }),
      output: Requested,
      hints: HINTS,
      failure: (error) => agentError('SETUP_FAILED', error),
      async run({ force = false, reason = '', ...input }, { client, argumentsText }) {
        const news = requests.news(client, 'setup') ?? requests.news(client, 'approve');
        if (news) return standing(news);
        const asked = { ...wanted(argumentsText, input), reason: cleanText(reason, 200) };
        const account = force ? undefined : agentAccount();
        if (!account) return standing(requests.ask(client, 'setup', { ...asked, owner: '', delegate: '' }));
        if (asked.amount !== '') return standing(requests.ask(client, 'approve', { ...asked, owner: account.delegatedFrom ?? '', delegate: account.address }));
        return failed(agentError('KEYPAIR_EXISTS', new BursarError('INPUT_INVALID', `There is an account already: ${account.address}. x402_check_delegation tells what it may spend.`, { hint: 'Give an amount to ask for another limit, or "force": true to ask for another account.' })));
      },
    }),
    defineTool({
      name: 'x402_check_delegation',
      title: 'What may be spent on Solana',
      description: 'Reads from the chain what the owner’s token accounts let accounts here spend: what is left, of how much, and what they hold. Reads only.',
      scope: 'payment_context:read',
      input: z.object({ tokenAccount: TokenAccount, passphrase: Passphrase }),
      output: Checked,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
      failure: (error) => agentError('CHECK_FAILED', error),
      async run({ tokenAccount }) {
        const { active, isUsedUp } = await ofAgents(tokenAccount);
        if (active.length === 0) return noDelegation(isUsedUp);
        const structured = { delegations: active.map(checked) };
        const lines = structured.delegations.map(({ remaining, approved, token, network, owner, balance, delegate }) => `${remaining}${approved === undefined ? '' : ` of ${approved}`} ${token} on ${network} are left for ${delegate} to spend of what ${owner} holds, which is ${balance}.`);
        return { kind: 'success', text: lines.join('\n'), structured };
      },
    }),
    defineTool({
      name: 'x402_revoke_delegation',
      title: 'Ask to take a spending limit back',
      description: `Asks the owner to take back what an account here may spend of a token account on Solana. ${ASKS}`,
      scope: REQUEST_SCOPE,
      input: z.object({ tokenAccount: TokenAccount, reason: Reason, passphrase: Passphrase }),
      output: Requested,
      hints: HINTS,
      failure: (error) => agentError('CHECK_FAILED', error),
      async run({ tokenAccount, reason = '' }, { client }) {
        const news = requests.news(client, 'revoke');
        if (news) return standing(news);
        const { active, isUsedUp } = await ofAgents(tokenAccount);
        const [found] = active;
        if (!found) return noDelegation(isUsedUp);
        if (active.length > 1) throw new BursarError('INPUT_INVALID', `There are several: the token accounts ${active.map((one) => one.tokenAccount).join(', ')}.`, { hint: 'Name one as tokenAccount.' });
        const { asset, owner, delegate } = found;
        return standing(requests.ask(client, 'revoke', { amount: '', network: asset.network, asset: asset.address, owner, delegate, reason: cleanText(reason, 200) }));
      },
    }),
  ];
}

function checked({ asset, tokenAccount, owner, delegate, remaining, approved, balance, frozen }: DelegationFacts): z.infer<typeof Checked>['delegations'][number] {
  const write = (units: bigint) => formatUnits(units, asset.decimals, Math.min(2, asset.decimals));
  return {
    tokenAccount,
    owner,
    delegate,
    token: asset.symbol,
    network: requireNetwork(asset.network).name,
    remaining: write(remaining),
    ...(approved !== undefined && { approved: write(approved) }),
    balance: write(balance),
    spendable: write(frozen ? 0n : remaining < balance ? remaining : balance),
  };
}

const noDelegation = (isUsedUp: boolean): OwnToolAnswer =>
  isUsedUp
    ? failed(agentError('DELEGATION_EXPIRED', new BursarError('DELEGATION_MISSING', 'What was approved is used up or was taken back.', { hint: 'Ask the owner for another limit with x402_setup_agent and an amount.' })))
    : failed(agentError('NO_DELEGATION', new BursarError('DELEGATION_MISSING', 'No account here may spend from another one’s tokens.', { hint: 'Ask the owner with x402_setup_agent and an amount.' })));

function standing({ id, state, outcome, account, expiresAt }: StoredRequest): ToolSuccess<Requested> {
  const until = new Date(expiresAt).toISOString();
  const says = WORDS[state](outcome, until);
  const structured: Requested = { status: state, requestId: id, says, ...(account !== '' && { account }), expiresAt: until };
  return { kind: 'success', text: `${says} (request ${id}, ${state})`, structured };
}

const WORDS: Readonly<Record<StoredRequest['state'], (outcome: string, until: string) => string>> = {
  waiting: (_outcome, until) => `The owner was asked and has not decided yet; nothing was done. They can until ${until}. Call this tool again with the same arguments to hear how it stands.`,
  approved: (outcome) => `${outcome} x402_check_delegation tells what may be spent.`,
  rejected: () => 'The owner rejected it, and nothing was done. Do not ask for the same again without talking to them.',
  expired: (outcome) => `${outcome} Nothing was done. It may be asked again.`,
};
