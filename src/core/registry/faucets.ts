import type { NetworkId } from './networks.ts';

/** A public page that gives test money away. Bursar never asks it: the owner opens it and pastes an address. */
export interface Faucet {
  readonly name: string;
  readonly url: string;
  /** What it gives: `USDC`, `SOL`. */
  readonly gives: string;
}

// Circle's public faucet gives USDC on the test networks of its developer documentation ("Testnet Faucets", developers.circle.com).
const CIRCLE: Faucet = { name: 'Circle Faucet', url: 'https://faucet.circle.com/', gives: 'USDC' };
// The Solana Foundation's own page for Devnet and Testnet (solana.com/developers).
const SOLANA: Faucet = { name: 'Solana Faucet', url: 'https://faucet.solana.com/', gives: 'SOL' };

const FAUCETS: Readonly<Record<NetworkId, readonly Faucet[]>> = {
  'eip155:84532': [CIRCLE],
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': [CIRCLE, SOLANA],
  'eip155:11155111': [CIRCLE],
  'eip155:80002': [CIRCLE],
  'eip155:421614': [CIRCLE],
  'eip155:11155420': [CIRCLE],
  'eip155:43113': [CIRCLE],
  'eip155:11142220': [CIRCLE],
};

/** The faucets of a network; none for a network of real money. */
export const faucetsOf = (id: NetworkId): readonly Faucet[] => FAUCETS[id] ?? [];

const URLS: ReadonlySet<string> = new Set(Object.values(FAUCETS).flatMap((faucets) => faucets.map(({ url }) => url)));

/** True for exactly a page of the registry's faucets. */
export const isFaucetUrl = (url: string): boolean => URLS.has(url);
