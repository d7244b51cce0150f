import type { Asset } from '../../core/registry/assets.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import { TOKEN_2022 } from '../../core/registry/solana-tokens.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { unsignedDelegationSvm } from '../rails/delegation-svm.ts';
import type { BlockhashLifetime } from '../rails/svm-transaction.ts';
import type { Draft } from './delegation-quote.ts';

/** What the owner's own wallet signs, three ways: as bytes, in words, and as a command. */
export interface ExternalDelegation {
  /** The unsigned transaction (base64), which the owner signs alone. */
  readonly transaction: string;
  /** One line each; what a wallet shows before it signs has to say the same. */
  readonly description: readonly string[];
  /** For Solana's command-line wallet. */
  readonly command: string;
  /** What to do, in order. */
  readonly steps: readonly string[];
}

/** `rpcUrl` is where the command sends it, on a network that the command has no name for. */
export async function externalDelegation({ terms, asset, before }: Draft, { lifetime, rpcUrl }: { readonly lifetime: BlockhashLifetime; readonly rpcUrl: string | undefined }): Promise<ExternalDelegation> {
  const { kind, owner, delegate, amount } = terms;
  const whole = formatUnits(amount, asset.decimals);
  const { name } = requireNetwork(asset.network);
  const url = rpcUrl ?? CLUSTERS[asset.network] ?? 'mainnet-beta';
  const program = asset.tokenProgram === TOKEN_2022 ? 'Token-2022' : 'Token';
  const words = kind === 'approve' ? `approve ${before.tokenAccount} ${whole} ${delegate}` : `revoke ${before.tokenAccount}`;
  return {
    transaction: await unsignedDelegationSvm(terms, asset, lifetime),
    description: [
      kind === 'approve' ? `Approve spending (instruction ApproveChecked of the ${program} program) on ${name}` : `Take an approval of spending back (instruction Revoke of the ${program} program) on ${name}`,
      `Token account: ${before.tokenAccount}`,
      `Owner, who signs and pays the fee: ${owner}`,
      `Token: ${asset.symbol}, mint ${asset.address}`,
      ...(kind === 'approve' ? [`Delegate: ${delegate}`, `Amount: ${whole} ${asset.symbol} (${amount} base units), all together and until it is taken back`] : [`Delegate who loses what is left: ${delegate}`]),
      'Besides: a limit and a price of compute units. Nothing else is in the transaction.',
    ],
    command: `spl-token ${words} --owner OWNER_KEYPAIR.json --fee-payer OWNER_KEYPAIR.json --url ${quoted(url)}${program === 'Token-2022' ? ' --program-2022' : ''}`,
    steps: [
      'Sign it with the wallet that has the owner’s key: the transaction within about a minute, or the command whenever you like. Compare what the wallet shows with the lines above.',
      ...(kind === 'approve' ? [`Let the account pay from there: bursar account pay-from ${delegate} --owner ${owner}`] : []),
      'Look at the chain: bursar delegation list',
    ],
  };
}

const CLUSTERS: Readonly<Partial<Record<Asset['network'], string>>> = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'mainnet-beta',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'devnet',
};

const quoted = (url: string): string => (/^[\w.:/-]+$/.test(url) ? url : `'${url.replaceAll("'", String.raw`'\''`)}'`);
