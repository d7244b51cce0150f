import type { ChooseOfferPorts } from '../core/payments/choose-offer.ts';
import type { Payments } from '../core/payments/pay.ts';
import type { Clock, Journal } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { Scope } from '../shared/access/scopes.ts';
import type { Environment } from '../shared/contract/app.ts';
import { BursarError } from '../shared/errors/errors.ts';
import { OWN_NAME } from '../shared/text/own-name.ts';
import type { Balances } from './adapters/balances.ts';
import type { Chains } from './adapters/chain/chains.ts';
import type { ContactStore } from './adapters/store/contacts.ts';
import { createOrders, type Orders } from './wallet/orders.ts';
import { isToContact } from './wallet/orders-to-contact.ts';
import { createSends, type QuoteByEscrow, type SendByEscrow, type Sends } from './wallet/sends.ts';
import type { WalletTool } from './wallet-tools/define-tool.ts';
import { createPaymentContext } from './wallet-tools/payment-context.ts';
import { createPaymentTools } from './wallet-tools/payment-tools.ts';
import { createSendTools } from './wallet-tools/send-tools.ts';

/** Payments to people without a wallet, made over orders. */
interface ByEscrow {
  readonly send: SendByEscrow;
  readonly quote: QuoteByEscrow;
  readonly tools: readonly WalletTool[];
}

export interface WalletToolPorts<E extends ByEscrow> extends ChooseOfferPorts {
  readonly environment: Environment;
  readonly payments: Payments;
  readonly journal: Journal;
  readonly clock: Clock;
  /** The tokens that may be paid now; and those that any payment of the past was made in. */
  readonly assets: Assets;
  readonly shownAssets: Assets;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  readonly chains: () => Chains;
  readonly balances: Balances;
  readonly contacts: ContactStore;
  readonly enabledUpstreams: () => readonly string[];
  readonly scopesOf: (client: string, limit?: readonly Scope[]) => readonly Scope[];
  readonly escrow: (orders: Orders) => E;
}

/** How long a look at an address may take before a send goes on without it. */
const CODE_LIMIT_MS = 2_000;

/** What the wallet does of its own accord, and the tools by which agents reach it. */
export function wireWalletTools<E extends ByEscrow>({ environment, payments, journal, clock, assets, shownAssets, chains, balances, contacts, enabledUpstreams, scopesOf, escrow: createEscrow, ...choosing }: WalletToolPorts<E>): { readonly escrow: E; readonly sends: Sends; readonly tools: readonly WalletTool[] } {
  const orders = createOrders({ payments, clock, ...choosing });
  const escrow = createEscrow(orders);
  const networks = () => choosing.chain.networks();
  const sends = createSends({
    orders,
    contacts,
    assets,
    accounts: () => choosing.keys.accounts(),
    networks,
    isContract: (network, address) => chains().isContract(network, address, AbortSignal.timeout(CODE_LIMIT_MS)),
    escrow,
  });
  return {
    escrow,
    sends,
    tools: [
      createPaymentContext({ environment, policies: choosing.policies, journal, balances, contacts, networks, clock, scopesOf, escrow: true }),
      ...createSendTools({ sends, journal, assets: shownAssets }),
      ...escrow.tools,
      ...createPaymentTools({ journal, assets: shownAssets, isServer: (name) => name === OWN_NAME || enabledUpstreams().includes(name) }),
    ],
  };
}

/** What waits under a contact's name and would pay where the contact no longer is, ends: whoever approves it would approve another thing than they read. */
export const contactMoved =
  (payments: Pick<Payments, 'callOff'>) =>
  (number: number): void =>
    payments.callOff((_client, intent) => isToContact(intent, number), new BursarError('APPROVAL_STALE', `Contact ${number} changed while the payment waited.`, { hint: 'Nothing was sent. The same order again asks anew.' }));
