import type { AccountView, BalanceView } from '../../../../shared/contract/accounts.ts';
import type { RouteInput } from '../../../../shared/contract/contract.ts';
import type { SendQuote } from '../../../../shared/contract/sends.ts';
import { DecimalText, type MoneyView } from '../../../../shared/contract/values.ts';
import { assetId } from '../../../../shared/money/asset-id.ts';

/** A send as it is typed; an empty text leaves the choice to Bursar. */
export interface SendDraft {
  readonly kind: 'contact' | 'address';
  /** A contact's number. */
  readonly contact: string;
  readonly address: string;
  readonly amount: string;
  readonly token: string;
  readonly network: string;
  readonly from: string;
  readonly memo: string;
}

export const DEFAULT_TOKEN = 'USDC';

export const EMPTY_DRAFT: SendDraft = { kind: 'contact', contact: '', address: '', amount: '', token: DEFAULT_TOKEN, network: '', from: '', memo: '' };

export type SendField = 'contact' | 'address' | 'amount';

/** The fields that have to be filled in before anything can be asked. */
export function missingIn({ kind, contact, address, amount }: SendDraft): readonly SendField[] {
  const target = kind === 'contact' ? contact : address.trim();
  return [...(target === '' ? [kind] : []), ...(DecimalText.safeParse(amount.trim()).success ? [] : ['amount' as const])];
}

/** What is asked of main. */
export function requestOf({ kind, contact, address, amount, token, network, from, memo }: SendDraft): RouteInput<'sends.quote'> {
  return {
    to: kind === 'contact' ? { contact: Number(contact) } : { address: address.trim() },
    amount: amount.trim(),
    token,
    memo: memo.trim(),
    ...(network !== '' && { network }),
    ...(from !== '' && { from }),
  };
}

/** The request with everything that Bursar chose in the quote, so that what was looked at is what is sent. */
export const asQuoted = (request: RouteInput<'sends.quote'>, { money, payer }: SendQuote): RouteInput<'sends.send'> => ({ ...request, network: money.asset.network, from: payer });

/** Amount and fees together, by token. */
export function totalOf({ money, fees }: SendQuote): readonly MoneyView[] {
  const totals = new Map<string, MoneyView>();
  for (const { asset, units } of [money, ...fees]) {
    const before = totals.get(assetId(asset))?.units ?? '0';
    totals.set(assetId(asset), { asset, units: (BigInt(before) + BigInt(units)).toString() });
  }
  return [...totals.values()];
}

/** The accounts that can send. */
export const sendersOf = (accounts: readonly AccountView[]): readonly AccountView[] =>
  accounts.filter(({ namespace, source, hidden }) => (namespace === 'eip155' || namespace === 'solana') && source !== 'watch' && !hidden);

/** Symbols of the tokens that an account could send; USDC first, as Bursar takes it without a word. */
export function tokensOf(balances: readonly BalanceView[]): readonly string[] {
  return [...new Set([DEFAULT_TOKEN, ...balances.map(({ asset }) => asset.symbol)])];
}

/** The networks that have a token of that symbol. */
export function networksOf(balances: readonly BalanceView[], symbol: string): readonly { readonly network: string; readonly name: string }[] {
  const found = new Map(balances.flatMap(({ asset }) => (asset.symbol === symbol ? [[asset.network, asset.networkName] as const] : [])));
  return [...found].map(([network, name]) => ({ network, name }));
}
