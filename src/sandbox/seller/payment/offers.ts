import { EVM_NETWORK, EVM_USDC, SOLANA_NETWORK, SOLANA_USDC, type SandboxNetwork } from '../../networks.ts';

/** One way to pay, in the words of x402 v2 (`PaymentRequirements`). */
export interface Offer {
  readonly scheme: 'exact';
  readonly network: SandboxNetwork;
  /** Base units as a decimal string. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, string>>;
}

/** Where the seller is paid. */
export interface PayTo {
  readonly evm: string;
  readonly solana: string;
}

/** What all offers of a seller have in common. */
export interface OfferTerms {
  readonly payTo: PayTo;
  /** How long a buyer's authorization may stay valid, in seconds. */
  readonly maxTimeoutSeconds: number;
  /** The account that pays the Solana fees, as the facilitator's `/supported` names it. */
  readonly solanaFeePayer: string;
}

/** An offer of `amount` base units of USDC on a network. */
export function offerOn(network: SandboxNetwork, amount: bigint, { payTo, maxTimeoutSeconds, solanaFeePayer }: OfferTerms): Offer {
  const common = { scheme: 'exact', network, amount: amount.toString(), maxTimeoutSeconds } as const;
  return network === EVM_NETWORK
    ? { ...common, asset: EVM_USDC, payTo: payTo.evm, extra: { name: 'USDC', version: '2' } }
    : { ...common, network: SOLANA_NETWORK, asset: SOLANA_USDC, payTo: payTo.solana, extra: { feePayer: solanaFeePayer } };
}
