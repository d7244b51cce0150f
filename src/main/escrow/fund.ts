import { createHash, randomBytes } from 'node:crypto';
import type { OrderOffer } from '../../core/challenges/order.ts';
import type { Choice } from '../../core/payments/choose-offer.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Clock } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { isChain, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { TOKEN_2022 } from '../../core/registry/solana-tokens.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { baseUnits, parseUnits } from '../../shared/money/money.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import type { Escrow, EscrowStore, Recipient } from '../adapters/store/escrows.ts';
import type { Orders, PlacedOrder, Sender, Sent } from '../wallet/orders.ts';
import { requireEnabled } from '../wallet/plan-send.ts';
import { DEFAULT_TOKEN, type SendTerms } from '../wallet/send-terms.ts';
import { escrowAddress, newKeyIndex, type EscrowSeed } from './escrow-keys.ts';
import type { Follow } from './follow.ts';

/** Money for somebody without a wallet. */
export interface EscrowOrder {
  readonly recipient: Recipient;
  readonly terms: SendTerms;
  /** One of Bursar's own tools; rules of the owner name it. */
  readonly tool: string;
  /** The order's identity, as `Orders` takes it. */
  readonly argumentsText: string;
  /** True where the owner has the recipient among their contacts. */
  readonly known: boolean;
  readonly byOwner: boolean;
  readonly from?: string;
}

/** What a payment to somebody without a wallet would be and cost now. */
export interface EscrowQuote {
  readonly choice: Choice;
  /** Who gets it, in words. */
  readonly recipient: string;
  /** Until when it could be claimed (ms). */
  readonly expiresAt: number;
}

export interface Fund {
  /**
   * Pays into an account that is made for this payment alone. Its row is durable before an order names it, so that a crash loses nothing: whether it was
   * funded follows from the ledger. Throws, before anything was asked of anybody, `CLAIM_PAGE_MISSING`, `AMOUNT_INVALID`, `NETWORK_UNSUPPORTED`,
   * `ASSET_UNKNOWN`, `WALLET_LOCKED` and what `Orders.quote` does; all later refusals are outcomes.
   */
  fund(order: EscrowOrder, sender: Sender): Promise<EscrowOutcome>;
  /** Its cost, with the reserve that an escrow on Solana is given; asks nobody, makes no account and holds nothing. Throws as `fund` does. */
  quote(order: EscrowOrder, client: string, signal: AbortSignal): Promise<EscrowQuote>;
}

export type EscrowOutcome = Exclude<Sent, { kind: 'sent' }> | (Extract<Sent, { kind: 'sent' }> & { readonly escrow: Escrow });

export interface FundPorts {
  readonly store: EscrowStore;
  readonly seed: EscrowSeed;
  readonly orders: Orders;
  readonly assets: Assets;
  readonly networks: () => readonly NetworkId[];
  readonly chains: () => Pick<Chains, 'solanaAccounts'>;
  readonly follow: Pick<Follow, 'syncFunding' | 'announce'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly claims: () => { readonly pageUrl: string; readonly expiryDays: number };
}

/** Fees of the two transactions at most that an escrow on Solana pays for itself. */
const OWN_FEES_LAMPORTS = 2n * 5_001n;
const TOKEN_ACCOUNT_BYTES = { plain: 165, extended: 300 } as const;
const RENT_LIMIT_MS = 5_000;
/** Long before an account that nothing was paid to is given up, no order names it any more. */
const REUSE_MS = 30 * 60_000;

export function createFund({ store, seed, orders, assets, networks, chains, follow, clock, claims }: FundPorts): Fund {
  /** Escrows for one order are made one at a time: the same words again go on with the same account. */
  const making = new Map<string, Promise<unknown>>();
  const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = making.get(key);
    const mine = (before ?? Promise.resolve()).catch(() => {}).then(work);
    making.set(key, mine);
    try {
      return await mine;
    } finally {
      if (making.get(key) === mine) making.delete(key);
    }
  };

  /** An account that nobody has used, and the way of paying into it that the owner's order and the balances choose. */
  async function plan(order: EscrowOrder, client: string, signal: AbortSignal): Promise<{ readonly keyIndex: string; readonly terms: Terms; readonly expiresAt: number }> {
    const { pageUrl, expiryDays } = claims();
    if (pageUrl === '') throw new BursarError('CLAIM_PAGE_MISSING', 'The owner has not said where recipients can claim money.');
    const ways = waysOf(order.terms, { assets, networks: networks().filter(isChain) });
    const keyIndex = newKeyIndex();
    const [evm, solana] = await Promise.all([escrowAddress(seed, 'eip155', keyIndex), escrowAddress(seed, 'solana', keyIndex)]);
    const offers = ways.map(({ asset, amount }): OrderOffer => ({ network: asset.network, asset: asset.address, amount, payee: asset.network.startsWith('eip155:') ? evm : solana }));
    const { terms } = await orders.quote(placed(order, offers, 0), client, signal);
    return { keyIndex, terms, expiresAt: clock.now() + expiryDays * 86_400_000 };
  }

  async function make(order: EscrowOrder, orderKey: string, sender: Sender): Promise<Escrow> {
    const { keyIndex, terms, expiresAt } = await plan(order, sender.client, sender.signal);
    const escrow = { id: `esc_${randomBytes(10).toString('hex')}`, keyIndex, orderKey, network: terms.network, asset: terms.asset, units: baseUnits(terms.amount), address: terms.payee, expiresAt };
    return store.insert(escrow, { recipient: order.recipient, memo: order.terms.memo });
  }

  async function offerTo({ network, asset, units, address }: Pick<Escrow, 'network' | 'asset' | 'units' | 'address'>, signal: AbortSignal): Promise<OrderOffer> {
    const reserve = await reserveFor({ network, asset }, signal);
    return { network, asset, amount: units.toString(), payee: address, ...(reserve !== undefined && { reserve }) };
  }

  async function reserveFor({ network, asset }: Pick<Escrow, 'network' | 'asset'>, signal: AbortSignal): Promise<string | undefined> {
    if (!network.startsWith('solana:')) return undefined;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(RENT_LIMIT_MS)]);
    const bytes = assets.find(network, asset)?.tokenProgram === TOKEN_2022 ? TOKEN_ACCOUNT_BYTES.extended : TOKEN_ACCOUNT_BYTES.plain;
    const [account, own] = await Promise.all([chains().solanaAccounts.rent(network, bytes, limit), chains().solanaAccounts.rent(network, 0, limit)]);
    return (account + own + OWN_FEES_LAMPORTS).toString();
  }

  async function fund(order: EscrowOrder, sender: Sender): Promise<EscrowOutcome> {
    const orderKey = createHash('sha256').update(JSON.stringify([sender.client, order.tool, order.argumentsText])).digest('hex');
    const escrow = await inTurn(orderKey, async () => {
      const open = store.unpaidOf(orderKey);
      const usable = open && follow.syncFunding(open);
      return usable && (usable.state === 'created' || usable.state === 'funding') && usable.createdAt > clock.now() - REUSE_MS ? usable : make(order, orderKey, sender);
    });
    const sent = await orders.place(placed(order, [await offerTo(escrow, sender.signal)], escrow.expiresAt), sender);
    const mine = follow.syncFunding(escrow);
    if (sent.kind !== 'sent') return sent;
    // The very same words may have gone on with an earlier order, which paid another escrow.
    const paid = mine.state === 'funded' ? mine : store.byOrderPayment(sent.paymentId);
    if (!paid) throw new BursarError('INTERNAL', `The payment ${sent.paymentId} funded no escrow.`);
    const told = await follow.announce(paid.id);
    return { ...sent, escrow: told };
  }

  async function quote(order: EscrowOrder, client: string, signal: AbortSignal): Promise<EscrowQuote> {
    const { terms, expiresAt } = await plan(order, client, signal);
    const offer = await offerTo({ network: terms.network, asset: terms.asset, units: baseUnits(terms.amount), address: terms.payee }, signal);
    const asked = placed(order, [offer], expiresAt);
    return { choice: await orders.quote(asked, client, signal), recipient: asked.recipient, expiresAt };
  }

  function placed({ recipient: { to, name }, terms: { memo }, tool, argumentsText, known, byOwner, from }: EscrowOrder, offers: readonly OrderOffer[], expiresAt: number): PlacedOrder {
    const until = expiresAt === 0 ? '' : ` until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
    return {
      tool,
      argumentsText,
      recipient: `${name === '' ? to : `${name}, ${to}`}, by a claim link${until}`,
      known,
      byOwner,
      warnings: [],
      byLink: true,
      ...(from !== undefined && { payer: from }),
      memo,
      offers,
    };
  }

  return { fund, quote };
}

/** Every enabled network where the token can leave an escrow again without the network's coin. */
function waysOf({ token, amount, network }: SendTerms, { assets, networks }: { assets: Assets; networks: readonly NetworkId[] }): readonly { readonly asset: Asset; readonly amount: string }[] {
  const wanted = network === undefined ? networks : [requireEnabled(network, networks)];
  const symbol = token.toLowerCase();
  const found = assets.list.filter((asset) => wanted.includes(asset.network) && asset.symbol.toLowerCase() === symbol);
  const claimable = found.filter(({ network: on, eip712 }) => on.startsWith('solana:') || eip712 !== undefined);
  if (claimable.length === 0) {
    const names = wanted.map((id) => requireNetwork(id).name).join(', ') || 'any network that is enabled here';
    throw new BursarError('ASSET_UNKNOWN', `No token ${token.slice(0, 20)} on ${names} can be paid by escrow.`, { hint: `Nothing was sent. ${DEFAULT_TOKEN} can be.` });
  }
  const fitting = claimable.flatMap((asset) => {
    const decimals = amount.split('.')[1]?.length ?? 0;
    return decimals > asset.decimals ? [] : [{ asset, amount: parseUnits(amount, asset.decimals).toString() }];
  });
  const [first] = claimable;
  if (fitting.length === 0 && first) throw new BursarError('AMOUNT_INVALID', `The amount ${amount} has more decimal places than ${first.symbol} on ${requireNetwork(first.network).name} has, which are ${first.decimals}.`);
  return fitting;
}
