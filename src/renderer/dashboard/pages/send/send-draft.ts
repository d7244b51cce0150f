import type { AccountView, BalanceView } from '../../../../shared/contract/accounts.ts';
import type { RouteInput } from '../../../../shared/contract/contract.ts';
import type { EscrowSent } from '../../../../shared/contract/escrows.ts';
import type { SendQuote, SentView } from '../../../../shared/contract/sends.ts';
import { DecimalText, type MoneyView } from '../../../../shared/contract/values.ts';
import { assetId } from '../../../../shared/money/asset-id.ts';

/** A send as it is typed; an empty text leaves the choice to Bursar. */
export interface SendDraft {
  readonly kind: 'contact' | 'address' | 'email' | 'phone';
  /** A contact's number. */
  readonly contact: string;
  readonly address: string;
  readonly email: string;
  readonly phone: string;
  readonly amount: string;
  readonly token: string;
  readonly network: string;
  readonly from: string;
  readonly memo: string;
}

export const DEFAULT_TOKEN = 'USDC';

export const EMPTY_DRAFT: SendDraft = { kind: 'contact', contact: '', address: '', email: '', phone: '', amount: '', token: DEFAULT_TOKEN, network: '', from: '', memo: '' };

export type SendField = SendDraft['kind'] | 'amount';

/** The fields that have to be filled in before anything can be asked. */
export function missingIn(draft: SendDraft): readonly SendField[] {
  return [...(draft[draft.kind].trim() === '' ? [draft.kind] : []), ...(DecimalText.safeParse(draft.amount.trim()).success ? [] : ['amount' as const])];
}

const termsOf = ({ amount, token, network, from, memo }: SendDraft) => ({ amount: amount.trim(), token, memo: memo.trim(), ...(network !== '' && { network }), ...(from !== '' && { from }) });

/** What is asked of main for a contact or an address. */
export const requestOf = (draft: SendDraft): RouteInput<'sends.quote'> => ({
  to: draft.kind === 'contact' ? { contact: Number(draft.contact) } : { address: draft.address.trim() },
  ...termsOf(draft),
});

/** What is asked of main for somebody who claims it with a link; undefined for a contact and an address. */
export function linkRequestOf(draft: SendDraft): RouteInput<'escrows.quote'> | undefined {
  if (draft.kind === 'email') return { kind: 'email', to: draft.email.trim(), ...termsOf(draft) };
  if (draft.kind === 'phone') return { kind: 'sms', to: draft.phone.trim(), ...termsOf(draft) };
  return undefined;
}

/** The request with everything that Bursar chose in the quote, so that what was looked at is what is sent. */
export const asQuoted = <R extends RouteInput<'sends.send'> | RouteInput<'escrows.send'>>(request: R, { money, payer }: SendQuote): R => ({ ...request, network: money.asset.network, from: payer });

/** What was sent, and whether its recipient has been told; undefined where that is not known here. */
export type DoneView = SentView & { readonly told?: boolean };

export function doneByLink({ paymentId, transaction, escrow: { id, state, recipient, recipientName, address, money, createdAt } }: EscrowSent): DoneView {
  const name = recipientName === '' ? recipient : `${recipientName}, ${recipient}`;
  return { paymentId, transaction, paymentType: 'escrow', escrowId: id, recipient: name, payee: address, money, sentAt: createdAt, told: state === 'notified' };
}

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
