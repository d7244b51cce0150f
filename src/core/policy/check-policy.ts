import { BursarError } from '../../shared/errors/errors.ts';
import { MAX_BASE_UNITS } from '../../shared/money/money.ts';
import type { CapUnit, Policy } from '../../shared/policy/policy.ts';
import { findAsset, type Assets } from '../registry/assets.ts';
import type { NetworkId } from '../registry/networks.ts';
import { skeleton } from '../registry/lookalike.ts';
import { assetsOf } from './policy-assets.ts';
import { decimalsOfUnit } from './units.ts';

/** Throws `INPUT_INVALID` for a policy that its schema takes, and that would not do what it says. */
export function requireUsable(policy: Policy): void {
  requireOwnTokens(policy);
  requireKnownUnits(policy);
}

/** A limit in a token that is not known would never hold anything back. Throws `INPUT_INVALID` for one. */
export function requireKnownUnits(policy: Policy): void {
  const { caps, rules, paying, presence } = policy;
  const above = presence?.above ?? 'off';
  const assets = assetsOf(policy);
  const named = [
    ...caps.map(({ unit, amount }, index) => ({ unit, amounts: [amount], place: `caps[${index}]` })),
    ...rules.map(({ when: { amount } }, index) => ({ unit: amount?.unit ?? ('USD' as const), amounts: [amount?.atLeast, amount?.atMost], place: `rules[${index}].when.amount` })),
    ...(paying?.accounts ?? []).map(({ max }, index) => ({ unit: max?.unit ?? ('USD' as const), amounts: [max?.amount], place: `paying.accounts[${index}].max` })),
    ...(paying?.tokens ?? []).map((unit, index) => ({ unit, amounts: ['0'], place: `paying.tokens[${index}]` })),
    ...(above === 'off' ? [] : [{ unit: 'USD' as const, amounts: [above], place: 'presence.above' }]),
  ];
  for (const { unit, amounts, place } of named) for (const amount of amounts) requireWritable({ unit, amount: amount ?? '0', place }, assets);
}

function requireWritable({ unit, amount, place }: { unit: CapUnit; amount: string; place: string }, assets: Assets): void {
  const decimals = decimalsOfUnit(unit, assets);
  if (decimals === undefined) throw invalid(place, `counts in ${unit}, which is not in the token registry`);
  const [whole = '', fraction = ''] = amount.split('.');
  if (fraction.length > decimals) throw invalid(place, `has more than ${decimals} decimal places`);
  // Read at every payment: what cannot be counted would refuse them all, and with `presence` every change of the policy too.
  if (BigInt(whole + fraction.padEnd(decimals, '0')) > MAX_BASE_UNITS) throw invalid(place, 'is more than any token could hold');
}

/** A trusted token stands beside the registry: it neither replaces an entry, nor has the name of another token of its network. */
function requireOwnTokens({ paying }: Policy): void {
  const trusted = paying?.trusted ?? [];
  for (const [index, { asset, symbol }] of trusted.entries()) {
    const [network = '', address = ''] = asset.split(/\/(?:erc20|token):/);
    const place = `paying.trusted[${index}]`;
    if (findAsset(network as NetworkId, address)) throw invalid(place, `names ${asset}, which is in the token registry already`);
    const others = trusted.slice(0, index);
    if (others.some((other) => other.asset.toLowerCase() === asset.toLowerCase())) throw invalid(place, `names ${asset} twice`);
    const names = [...assetsOf({}).list.filter((known) => known.network === network).map((known) => known.symbol), ...others.filter((other) => other.asset.startsWith(`${network}/`)).map((other) => other.symbol)];
    if (names.some((name) => skeleton(name) === skeleton(symbol))) throw invalid(place, `has the symbol ${symbol}, which another token of that network has; choose one that tells them apart`);
  }
  const accounts = (paying?.accounts ?? []).map(({ account }) => account.toLowerCase());
  const twice = accounts.findIndex((account, index) => accounts.indexOf(account) < index);
  if (twice >= 0) throw invalid(`paying.accounts[${twice}]`, 'names an account twice');
}

const invalid = (place: string, why: string) => new BursarError('INPUT_INVALID', `The policy's ${place} ${why}.`, { context: { place, why } });
