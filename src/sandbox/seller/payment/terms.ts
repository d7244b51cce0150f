import type { SandboxNetwork } from '../../networks.ts';

/** What a product costs. */
export interface Price {
  /** Base units of `currency`. */
  readonly units: bigint;
  readonly decimals: number;
  readonly currency: string;
}

/** What is bought, as challenges name it. */
export interface Product {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly mimeType: string;
}

/** Where the seller is paid. */
export interface PayTo {
  readonly evm: string;
  readonly solana: string;
}

/** One way to pay, as a rail offers it. */
export interface RailOffer {
  readonly rail: string;
  readonly network: SandboxNetwork | 'none';
  readonly payTo: string;
  /** The rail's own words, JSON. A dialect may add to them. */
  readonly terms: Readonly<Record<string, unknown>>;
}

/** A demand for money, stored where buyers refer to it by its id. */
export interface Challenge {
  readonly id: string;
  readonly product: Product;
  /** Of the canonical arguments: a challenge pays for one call. */
  readonly argumentsDigest: string;
  readonly price: Price;
  readonly offers: readonly RailOffer[];
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** A price as a decimal number, without zeros that say nothing beyond the cents. */
export function decimalPrice({ units, decimals }: Price): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '').padEnd(Math.min(2, decimals), '0');
  const whole = digits.slice(0, digits.length - decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
