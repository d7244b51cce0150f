import type { AccountView, BalanceView } from '../../shared/contract/accounts.ts';
import type { LedgerCause } from '../../shared/contract/ledger.ts';
import type { RouteOutput } from '../../shared/contract/contract.ts';
import type { PaymentView } from '../../shared/contract/payments.ts';
import type { AuthorizationView, UpstreamView } from '../../shared/contract/upstreams.ts';
import type { MoneyView } from '../../shared/contract/values.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';

/** `0.01 USDC` */
export const moneyText = ({ asset, units }: MoneyView): string => `${formatUnits(BigInt(units), asset.decimals, 2)} ${asset.symbol}`;

/** One line a server. `command` gives the whole command line of some words. */
export const upstreamLines = (upstreams: readonly UpstreamView[], command: (words: string) => string): readonly string[] =>
  upstreams.length === 0 ? [`No server yet. Add one with: ${command('upstream add NAME --url URL')}`] : table(upstreams.map(({ name, kind, address, enabled, settlement, authorization }) => [name, kind, `${address}${enabled ? '' : ' (disabled)'}${settlement ? ' (Bursar settles its payments)' : ''}${authorization ? ` (${AUTHORIZATION_WORDS[authorization.state]})` : ''}`]));

const AUTHORIZATION_WORDS: Readonly<Record<AuthorizationView['state'], string>> = {
  'signed-in': 'signed in',
  needed: 'waits for you to sign in: upstream authorize',
  offered: 'refused a call; one can sign in: upstream authorize',
  'signing-in': 'you are signing in',
  automatic: 'Bursar signs in by itself',
  locked: 'its tokens are locked',
};

/** One line an account and token. */
export function accountLines({ accounts, balances }: { accounts: readonly AccountView[]; balances: readonly BalanceView[] }, command: (words: string) => string): readonly string[] {
  if (accounts.length === 0) return [`No account yet: set a passphrase on the dashboard, which makes the first ones, or import one with: ${command('account import')}`];
  return table(
    accounts.flatMap((account) => {
      const own = balances.filter(({ accountId }) => accountId === account.id);
      const start = [`${account.label}${account.source === 'watch' ? ' (watched)' : ''}`, account.namespace, account.address];
      if (own.length === 0) return [[...start, account.hidden ? 'hidden' : 'no network enabled']];
      return own.map(({ asset, balance, stale }) => [...start, asset.networkName, `${balance ? moneyText(balance) : 'unknown'}${stale ? ' (stale)' : ''}`]);
    }),
  );
}

/** One line a payment. */
export const historyLines = (payments: readonly PaymentView[]): readonly string[] =>
  payments.length === 0
    ? ['No payments yet.']
    : table(payments.map((payment) => [new Date(payment.createdAt).toISOString(), payment.status, payment.money ? moneyText(payment.money) : '-', payment.upstream, payment.tool, payment.transaction || payment.reason]));

const MOST_CELL = 4_000;

/** A text on one line, without what a terminal would obey. */
export const oneLine = (text: string): string => cleanText(text, MOST_CELL).replaceAll(/\s*\n\s*/g, ' ');

/** Columns padded to the same width, each cell on one line. */
export function table(cells: readonly (readonly string[])[]): readonly string[] {
  const rows = cells.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of rows) for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows.map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  '));
}

/** What was read of the ledger and what was found, one line each. */
export const ledgerLines = ({ entries, payments, cause, canPutBack, findings }: RouteOutput<'ledger.verify'>): readonly string[] => [
  `Read ${entries} entries of ${payments} payments.`,
  ...(findings.length === 0 ? ['All as Bursar wrote it.'] : [...findings, `Nothing is paid until you ${wayOn(cause, canPutBack)}`]),
];

function wayOn(cause: LedgerCause, canPutBack: boolean): string {
  if (!canPutBack) return 'accept it: bursar ledger accept';
  return cause === 'settings' ? 'put it back (bursar ledger put-back) or accept it: bursar ledger accept' : 'put the settings back (bursar ledger put-back) and accept the rest: bursar ledger accept';
}
