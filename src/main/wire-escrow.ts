import { isChain, type NetworkId } from '../core/registry/networks.ts';
import type { NetworkOptions } from './adapters/chain/chains.ts';
import type { Home } from './adapters/home/home.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { Db } from './adapters/store/database.ts';
import { createEscrowStore } from './adapters/store/escrows.ts';
import { createMailStore } from './adapters/store/mail-settings.ts';
import type { EscrowSeed } from './escrow/escrow-keys.ts';
import { createEscrows, type Escrows, type EscrowsPorts } from './escrow/escrows.ts';
import { escrowHandlers } from './rpc/handlers/escrows.ts';
import type { SecretsShown } from './rpc/secrets-shown.ts';
import type { Orders } from './wallet/orders.ts';
import type { WalletTool } from './wallet-tools/define-tool.ts';
import { createEscrowTools } from './wallet-tools/escrow-tools.ts';

export interface EscrowWiring extends Omit<EscrowsPorts, 'orders' | 'store' | 'mail' | 'seed' | 'claims'> {
  readonly db: Db;
  readonly home: Home;
  readonly changeSettings: (change: () => void) => Promise<void>;
  readonly wallet: Wallet;
  /** True until payments may be signed. */
  readonly locked: () => boolean;
  /** Keeps a page that shows a link out of screenshots. */
  readonly shown: Pick<SecretsShown, 'show'>;
  /** Every network with its RPC servers. */
  readonly networkOptions: () => Readonly<Record<NetworkId, NetworkOptions>>;
}

type WiredEscrow = Escrows & { readonly tools: readonly WalletTool[]; readonly handlers: ReturnType<typeof escrowHandlers> };

/** Days in which money that was sent to somebody without a wallet can be claimed, unless the owner says otherwise. */
const CLAIM_DAYS = 14;

/** Payments to people without a wallet, with the tools by which agents make them. */
export const wireEscrow = ({ db, home, changeSettings, wallet, locked, shown, networkOptions, ...ports }: EscrowWiring) => (orders: Orders): WiredEscrow => {
  const { clock, shownAssets, facilitators, changed } = ports;
  const claims = () => home.config().claims ?? { pageUrl: '', expiryDays: CLAIM_DAYS };
  const mail = createMailStore(db, wallet.sealer);
  const seed: EscrowSeed = {
    get locked() {
      return locked();
    },
    useEscrow: (...request) => wallet.useEscrow(...request),
  };
  const escrows = createEscrows({ ...ports, orders, mail, seed, claims, store: createEscrowStore(db, clock, wallet.sealer) });
  const handlers = escrowHandlers({
    escrows,
    mail,
    assets: shownAssets,
    claims,
    setClaims: (next) => changeSettings(() => void home.update({ claims: next })),
    pageConfig: () => {
      const enabled = Object.entries(networkOptions()).filter(([id]) => isChain(id));
      return {
        facilitators: Object.fromEntries(enabled.map(([id]) => [id, [...facilitators(id as NetworkId)]])),
        rpcUrls: Object.fromEntries(enabled.map(([id, { rpcUrls }]) => [id, [...rpcUrls]])),
      };
    },
    shown,
    changed,
  });
  return { ...escrows, handlers, tools: createEscrowTools({ send: escrows.sendTo, quote: escrows.quoteTo, assets: shownAssets }) };
};
