import type { OrderOffer } from '../../core/challenges/order.ts';
import type { Account } from '../../core/ports.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import { coinOf } from '../../core/registry/coins.ts';
import { findNetwork, isChain, NETWORKS, requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { parseUnits } from '../../shared/money/money.ts';
import type { Contact, ContactStore } from '../adapters/store/contacts.ts';
import { addressWarnings, checkAddress } from './check-address.ts';
import type { PlacedOrder } from './orders.ts';
import { contactWords } from './orders-to-contact.ts';
import { writtenAs, type SendRequest, type SendTarget } from './send-terms.ts';

export interface PlanPorts {
  readonly contacts: Pick<ContactStore, 'get' | 'list'>;
  readonly assets: Assets;
  readonly accounts: () => readonly Account[];
  /** Enabled networks. */
  readonly networks: () => readonly NetworkId[];
  /** True where a contract lies at an address of an EVM network, or an account of a program at one of Solana. */
  readonly isContract: (network: NetworkId, address: string) => Promise<boolean>;
}

/** An order, ready to be placed, and what to say of it. */
export interface Plan {
  readonly order: PlacedOrder;
  /** The contact that is paid, also where the address alone was given. */
  readonly contact?: Contact;
  /** Every network and token in which it could be paid; the owner's order and the balances choose among them. */
  readonly ways: readonly Asset[];
}

/** Where money can go: an address, on all these networks. */
interface Place {
  readonly address: string;
  readonly networks: readonly NetworkId[];
}

/** Checks a send as far as that goes without asking a balance, and writes its order. Throws what `Sends.send` does. */
export async function planSend({ tool, to, terms, byOwner, from }: SendRequest, ports: PlanPorts): Promise<Plan> {
  const { assets, accounts } = ports;
  // While the keys are locked nobody is known, and the owner is asked: they can unlock there.
  const contacts = await ports.contacts.list().catch((error: unknown): readonly Contact[] => {
    if (isBursarError(error, 'WALLET_LOCKED')) return [];
    throw error;
  });
  const enabled = ports.networks().filter(isChain);
  const network = terms.network === undefined ? undefined : requireEnabled(terms.network, enabled);
  const contact = to.kind === 'contact' ? await ports.contacts.get(to.number) : undefined;
  const { places, target } = contact
    ? { places: placesOf(contact, enabled), target: to }
    : placeOfAddress(to, { assets, enabled });
  const fitting = places.flatMap(({ address, networks }) => networks.filter((id) => network === undefined || id === network).map((id) => ({ id, address })));
  if (fitting.length === 0) throw contact ? unpayable(contact, network) : wrongKind(places, network);

  const { offers, ways } = offersOf(fitting, { ...terms, assets });
  const own = ownAccount(offers, { accounts: accounts(), byOwner, from });
  if (own) throw own;
  // Known is an address only where the owner wrote it down for each network that could be used.
  const known = contact ?? contacts.find((one) => offers.every(({ network: on, payee }) => placesOf(one, [on])[0]?.address === payee));
  const payee = offers[0]?.payee ?? '';
  return {
    ...(known && { contact: known }),
    ways,
    order: {
      tool,
      argumentsText: writtenAs(target, { ...terms, ...(network !== undefined && { network }) }),
      recipient: known ? contactWords(known) : payee,
      known: known !== undefined,
      byOwner,
      // The owner named a contact's address, and saw then what speaks against it.
      warnings: known ? [] : [...addressWarnings(checkAddress(payee, []), namedAddresses(contacts, accounts())), ...(await contractWarnings(offers, ports))],
      ...(from !== undefined && { payer: from }),
      memo: terms.memo,
      offers,
    },
  };
}

function placeOfAddress(to: SendTarget, { assets, enabled }: { assets: Assets; enabled: readonly NetworkId[] }): { places: readonly Place[]; target: SendTarget } {
  if (to.kind !== 'address') throw new BursarError('INTERNAL', 'A send names neither an address nor a contact.');
  const { namespace, address } = checkAddress(to.address, assets.list);
  return { places: [{ address, networks: enabled.filter((id) => id.startsWith(`${namespace}:`)) }], target: { kind: 'address', address } };
}

/** An address for one network comes before one for every network of its kind. */
function placesOf({ addresses }: Contact, enabled: readonly NetworkId[]): readonly Place[] {
  return enabled.flatMap((id) => {
    const [namespace] = id.split(':');
    const found = addresses.find(({ chain }) => chain === id) ?? addresses.find(({ chain }) => chain === namespace);
    return found ? [{ address: found.address, networks: [id] }] : [];
  });
}

/** The network that somebody named, by its id or as people call it. */
export function requireEnabled(named: string, enabled: readonly NetworkId[]): NetworkId {
  const wanted = named.trim().toLowerCase();
  const found = findNetwork(named.trim()) ?? NETWORKS.find(({ name, v1Name }) => name.toLowerCase() === wanted || v1Name === wanted);
  const hint = `Enabled here: ${enabled.map((id) => requireNetwork(id).name).join(', ') || 'none'}.`;
  if (!found || !isChain(found.id)) throw new BursarError('NETWORK_UNSUPPORTED', `Bursar knows no network "${named.slice(0, 60)}".`, { hint });
  if (!enabled.includes(found.id)) throw new BursarError('NETWORK_UNSUPPORTED', `The network ${found.name} is not enabled here.`, { hint });
  return found.id;
}

function offersOf(places: readonly { readonly id: NetworkId; readonly address: string }[], { token, amount, assets }: { token: string; amount: string; assets: Assets }): { offers: readonly OrderOffer[]; ways: readonly Asset[] } {
  const wanted = token.toLowerCase();
  const found = places.flatMap(({ id, address }) =>
    [...assets.list.filter((asset) => asset.network === id), coinOf(id)].filter(({ symbol }) => symbol.toLowerCase() === wanted).map((asset) => ({ asset, address })),
  );
  if (found.length === 0) {
    const names = [...new Set(places.map(({ id }) => requireNetwork(id).name))].join(', ');
    throw new BursarError('ASSET_UNKNOWN', `Bursar knows no token ${token.slice(0, 20)} on ${names}.`, { hint: 'Nothing was sent.' });
  }
  const refusals: BursarError[] = [];
  const ways = found.flatMap(({ asset, address }) => {
    try {
      return [{ asset, address, units: parseUnits(amount, asset.decimals) }];
    } catch (error) {
      if (!isBursarError(error)) throw error;
      refusals.push(new BursarError('AMOUNT_INVALID', `The amount ${amount} has more decimal places than ${asset.symbol} on ${requireNetwork(asset.network).name} has, which are ${asset.decimals}.`));
      return [];
    }
  });
  const [refused] = refusals;
  if (ways.length === 0 && refused) throw refused;
  return { offers: ways.map(({ asset, address, units }) => ({ network: asset.network, asset: asset.address, amount: units.toString(), payee: address })), ways: ways.map(({ asset }) => asset) };
}

/** Why money is not sent to an account of this wallet: an agent may not at all, and the owner needs another one that pays. */
function ownAccount(offers: readonly OrderOffer[], { accounts, byOwner, from }: { accounts: readonly Account[]; byOwner: boolean; from: string | undefined }): BursarError | undefined {
  const own = accounts.find(({ address, delegatedFrom }) => offers.some(({ payee }) => payee === address || payee === delegatedFrom));
  if (!own) return undefined;
  if (!byOwner) return new BursarError('PAYEE_INVALID', `${own.address} is an account of this wallet.`, { hint: 'Nothing was sent.' });
  const others = accounts.filter(({ namespace, address }) => namespace === own.namespace && address !== own.address && (from === undefined || address === from));
  return others.length > 0 ? undefined : new BursarError('PAYEE_INVALID', `${own.address} is the account that would pay.`, { hint: 'Nothing was sent.' });
}

async function contractWarnings(offers: readonly OrderOffer[], { isContract }: PlanPorts): Promise<readonly string[]> {
  // What cannot be looked up is no reason to warn; the payment itself will fail if nobody answers.
  const found = await Promise.all(offers.map(async ({ network, payee }) => ((await isContract(network, payee).catch(() => false)) ? [network] : [])));
  const namesOf = (namespace: string) => [...new Set(found.flat().filter((network) => network.startsWith(namespace)).map((network) => requireNetwork(network).name))].join(' and ');
  const [evm, solana] = [namesOf('eip155:'), namesOf('solana:')];
  return [...(evm === '' ? [] : [`the address is a contract on ${evm}: money may be lost there`]), ...(solana === '' ? [] : [`the address is an account of a program on ${solana} and no wallet: money may be lost there`])];
}

const namedAddresses = (contacts: readonly Contact[], accounts: readonly Account[]) => [
  ...contacts.flatMap(({ number, name, addresses }) => addresses.map(({ address }) => ({ name: contactWords({ number, name }), address }))),
  ...accounts.map(({ label, address }) => ({ name: `your account ${label}`, address })),
];

const unpayable = ({ number, name, email, addresses }: Contact, network: NetworkId | undefined): BursarError => {
  const where = network === undefined ? 'on any network that is enabled here' : `on ${requireNetwork(network).name}`;
  const has = addresses.length === 0 ? 'has no address' : `has no address ${where}`;
  return new BursarError('CONTACT_UNPAYABLE', `Contact ${number} (${name}) ${has}${email === '' ? ', and no e-mail address either' : ''}.`);
};

function wrongKind([place]: readonly Place[], network: NetworkId | undefined): BursarError {
  const address = place?.address ?? '';
  const kind = address.startsWith('0x') ? 'an EVM network' : 'Solana';
  if (network === undefined) return new BursarError('NETWORK_UNSUPPORTED', `${address} is an address of ${kind}, and no such network is enabled here.`);
  return new BursarError('ADDRESS_INVALID', `${address} is an address of ${kind}, and ${requireNetwork(network).name} is another kind of network.`);
}
