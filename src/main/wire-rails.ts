import type { Keys, Log, RandomBytes, Rail, SignedNonces } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { NetworkId } from '../core/registry/networks.ts';
import type { Chains } from './adapters/chain/chains.ts';
import { createFacilitators } from './adapters/facilitators/facilitators.ts';
import { createStripeApi } from './adapters/stripe/stripe-api.ts';
import { createCancelEip3009 } from './rails/cancel-eip3009.ts';
import { createClientSettled } from './rails/client-settled.ts';
import { createDevSignature } from './rails/dev-signature.ts';
import { createExactEvm } from './rails/exact-evm.ts';
import { createExactSvm } from './rails/exact-svm.ts';
import { createStripeCard } from './rails/stripe-card.ts';
import { createTransferEvm } from './rails/transfer-evm.ts';
import { createTransferSvm } from './rails/transfer-svm.ts';

export interface RailPorts {
  readonly keys: Keys;
  readonly random: RandomBytes;
  /** The tokens that may be paid now; and those that any payment of the past was made in. */
  readonly assets: Assets;
  readonly shownAssets: Assets;
  readonly signedNonces: SignedNonces;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  readonly chains: () => Chains;
  /** Facilitators for what Bursar settles itself, the preferred one first. */
  readonly facilitators: (network: NetworkId) => readonly string[];
  /** The sandbox's card service. */
  readonly cardsUrl?: string;
  readonly realMoney: boolean;
  readonly log: Log;
}

/** Every rail. A new one is a file in `rails/` and a line here. */
export function wireRails({ keys, random, signedNonces, assets, shownAssets, chains, facilitators: addresses, cardsUrl, realMoney, log }: RailPorts): readonly Rail[] {
  const transactions = () => chains().evmTransactions;
  const accounts = () => chains().solanaAccounts;
  const latestBlockhash: Chains['latestBlockhash'] = (...request) => chains().latestBlockhash(...request);
  const exactEvm = createExactEvm({ keys, random, signedNonces, assets, observe: (...request) => chains().observeEip3009(...request), cancel: createCancelEip3009({ keys, assets: shownAssets, transactions }) });
  const exactSvm = createExactSvm({ keys, random, assets, latestBlockhash, accounts, observe: (...request) => chains().observeExactSvm(...request) });
  const facilitators = createFacilitators({ addresses, log });
  return [
    exactEvm,
    exactSvm,
    createClientSettled(exactEvm, facilitators),
    createClientSettled(exactSvm, facilitators),
    createTransferEvm({ keys, transactions, observe: (...request) => chains().observeTransferEvm(...request) }),
    createTransferSvm({ keys, random, assets, latestBlockhash, accounts, observe: (...request) => chains().observeTransferSvm(...request), send: (...request) => chains().sendSolana(...request) }),
    createStripeCard({ keys, stripe: createStripeApi(), ...(cardsUrl !== undefined && { apiUrl: cardsUrl }) }),
    ...(realMoney ? [] : [createDevSignature({ keys })]),
  ];
}
