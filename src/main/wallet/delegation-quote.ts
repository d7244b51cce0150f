import type { Account } from '../../core/ports.ts';
import type { Asset } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits, parseUnits } from '../../shared/money/money.ts';
import type { TokenAccountFacts } from '../adapters/chain/solana-accounts.ts';
import { tokenProgramOf } from '../adapters/chain/token-account.ts';
import type { DelegationTerms } from '../rails/delegation-terms.ts';
import { MAX_U64 } from '../rails/spl-transfer.ts';
import { canonicalAmount } from './amount.ts';
import type { DelegationOrder, Parties } from './delegation-order.ts';

/** What the chain showed when the owner looked: it has to be so still when it is signed. */
export interface Before {
  readonly tokenAccount: string;
  /** What the token account holds. */
  readonly balance: bigint;
  /** Who may spend how much of it now; empty and 0 where nobody may. */
  readonly delegate: string;
  readonly amount: bigint;
}

/** The exact terms of one act, and what the owner should know of it. */
export interface Draft {
  readonly kind: DelegationOrder['kind'];
  readonly terms: DelegationTerms;
  readonly asset: Asset;
  readonly before: Before;
  /** In sentences. */
  readonly warnings: readonly string[];
}

export interface DraftContext {
  readonly tokenAccount: string;
  /** Undefined where there is no such account on the chain. */
  readonly facts: TokenAccountFacts | undefined;
  readonly accounts: readonly Account[];
}

/** Throws `INPUT_INVALID`, `AMOUNT_INVALID`, `DELEGATION_MISSING`, `ACCOUNT_MISSING`. */
export function draftOf(order: DelegationOrder, { asset, owner, ...parties }: Parties, { tokenAccount, facts, accounts }: DraftContext): Draft {
  if (!facts) throw new BursarError('ACCOUNT_MISSING', `${owner} has no account for ${asset.symbol} yet.`, { hint: `Send some ${asset.symbol} there first. Nothing was signed.` });
  if (facts.owner !== owner || facts.mint !== asset.address || facts.program !== tokenProgramOf(asset)) {
    throw new BursarError('ACCOUNT_MISSING', `The token account ${tokenAccount} does not belong to ${owner} any more.`, { hint: 'Nothing was signed.' });
  }
  const before: Before = { tokenAccount, balance: facts.amount, delegate: facts.delegate ?? '', amount: facts.delegated };
  const isInForce = before.delegate !== '' && before.amount > 0n;
  const write = (units: bigint) => `${formatUnits(units, asset.decimals, Math.min(2, asset.decimals))} ${asset.symbol}`;
  const draft = (delegate: string, amount: bigint, warnings: readonly string[]): Draft => ({
    kind: order.kind,
    terms: { kind: order.kind === 'revoke' ? 'revoke' : 'approve', network: asset.network, asset: asset.address, owner, delegate, amount },
    asset,
    before,
    warnings: [...warnings, ...(facts.frozen ? [`The issuer of ${asset.symbol} has frozen the token account: nothing can be paid from it now.`] : [])],
  });

  if (order.kind === 'revoke') {
    if (order.amount !== undefined) throw new BursarError('INPUT_INVALID', 'An approval is taken back as a whole: no amount is given.', { hint: 'To leave less, approve the smaller amount anew.' });
    const named = parties.delegate;
    if (!isInForce) throw new BursarError('DELEGATION_MISSING', `Nobody may spend from the token account ${tokenAccount} but its owner.`);
    if (named !== '' && named !== before.delegate) throw new BursarError('DELEGATION_MISSING', `The delegate of the token account ${tokenAccount} is ${before.delegate} and not ${named}.`);
    return draft(before.delegate, 0n, []);
  }

  const { delegate } = parties;
  const given = parseUnits(canonicalAmount(order.amount ?? ''), asset.decimals);
  const isSame = isInForce && before.delegate === delegate;
  if (order.kind === 'topUp' && !isSame) throw new BursarError('DELEGATION_MISSING', `${delegate} may spend nothing from the token account ${tokenAccount}, so there is nothing to add to.`, { hint: 'Approve an amount instead.' });
  const amount: bigint = order.kind === 'topUp' ? before.amount + given : given;
  if (amount > MAX_U64) throw new BursarError('AMOUNT_INVALID', `${write(amount)} is more than a Solana token account can hold.`);
  return draft(delegate, amount, [
    ...(isSame ? [replacesOwn(order.kind, { left: write(before.amount), next: write(amount), given: write(given), sum: write(before.amount + amount) })] : []),
    ...(isInForce && !isSame ? [`The token account has another delegate now: ${before.delegate} may spend ${write(before.amount)} more. A token account has one delegate alone, so it loses that; the new approval is for ${write(amount)}.`] : []),
    ...(amount > before.balance ? [`The token account holds ${write(before.balance)}. More than that cannot be spent before more is put in.`] : []),
    ...payingWarnings(accounts, owner, delegate),
  ]);
}

function replacesOwn(kind: 'approve' | 'topUp', { left, next, given, sum }: Record<'left' | 'next' | 'given' | 'sum', string>): string {
  if (kind === 'topUp') return `${left} are left of the approval in force. The new one, for ${next}, replaces it: that is what is left and the ${given} that you add. What is spent before it lands comes on top.`;
  return `${left} are left of the approval in force. The new one replaces it and is not added to it: from then on ${next} may be spent, and not ${sum}.`;
}

function payingWarnings(accounts: readonly Account[], owner: string, delegate: string): readonly string[] {
  const payer = accounts.find(({ address, source }) => address === delegate && source !== 'watch');
  if (!payer) return [`The key of ${delegate} is not in this wallet: whoever has its key can spend this without asking Bursar.`];
  return payer.delegatedFrom !== undefined && payer.delegatedFrom !== owner ? [`The account ${payer.label} pays from the token accounts of ${payer.delegatedFrom} now. It will pay from those of ${owner} instead.`] : [];
}
