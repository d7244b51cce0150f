import type { Waiting } from '../../core/payments/approvals.ts';
import type { Assets } from '../../core/registry/assets.ts';
import type { ProvenRoute } from '../../shared/contract/presence.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { Act } from './presence.ts';

export interface ActWordsPorts {
  readonly waiting: () => readonly Waiting[];
  readonly assets: Assets;
}

const WORDS: Readonly<Record<ProvenRoute, string>> = {
  'approvals.decide': 'approve a payment',
  'approvals.saveRule': 'let a tool be paid without asking',
  'delegations.approve': 'let another account spend from yours',
  'delegations.topUp': 'let another account spend more from yours',
  'requests.approve': 'approve what an agent asks for',
  'policy.set': 'loosen your budgets and rules',
  'policy.resume': 'let payments go on',
  'ledger.accept': 'accept what was changed from outside',
  'presence.set': 'ask for less proof that you are there',
  'presence.passkeys.add': 'add a passkey',
  'presence.passkeys.remove': 'remove a passkey',
  'escrows.link': 'show a link that claims your money',
  'escrows.setPage': 'change where your money is claimed',
  'escrows.setMail': 'change who mails the links to your money',
  'seeds.reveal': 'show the words of your wallet',
  'accounts.export': 'show a private key',
  'backup.create': 'copy your keys into a file',
  'upstreams.add': 'let another server in',
  'upstreams.addPasted': 'let other servers in',
  'contacts.add': 'add somebody whom you pay',
  'contacts.edit': 'change where somebody is paid',
  'networks.set': 'ask another server about your money',
  'facilitators.set': 'have payments settled by somebody else',
  'clients.add': 'let another client in',
  'clients.setScopes': 'change what a client may do',
  'clients.rotate': 'show the token of a client',
  'clients.token': 'show the token of a client',
  'clients.link': 'hand out the token of a client',
  'clients.import': 'let another server in',
  'clients.protect': 'let another server in',
};

const LONGEST_NAME = 60;

/** What is proven, to complete "Bursar is trying to …": a payment with its amount and payee, so that the system's own window names it. */
export const actWords =
  ({ waiting, assets }: ActWordsPorts) =>
  ({ route, input }: Act): string => {
    const words = Object.entries(WORDS).find(([name]) => name === route)?.[1] ?? 'do this';
    if (route !== 'approvals.decide') return words;
    const id: unknown = new Map<string, unknown>(Object.entries(Object(input))).get('paymentId');
    const found = waiting().find(({ payment }) => payment.id === id);
    const terms = found?.payment.terms;
    const asset = terms && assets.find(terms.network, terms.asset);
    if (!found || !asset) return words;
    const to = found.challenge.order?.recipient ?? found.payment.upstream;
    return `approve ${formatUnits(terms.amount, asset.decimals, 2)} ${asset.symbol} to ${cleanText(to, LONGEST_NAME)}`;
  };
