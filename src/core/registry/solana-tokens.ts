import type { Asset } from './assets.ts';

const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

/** SPL Token, and Token-2022 (Token Extensions). */
export const SPL_TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** All of them have six decimals. */
const token = (network: Asset['network'], address: string, rest: Pick<Asset, 'symbol' | 'name' | 'tokenProgram'>): Asset => ({ network, address, ...rest, decimals: 6, pegged: 'USD' });

const USDC = { symbol: 'USDC', name: 'USD Coin' } as const;
const PYUSD = { symbol: 'PYUSD', name: 'PayPal USD', tokenProgram: TOKEN_2022 } as const;

/** Tokens on Solana. */
export const SOLANA_TOKENS: readonly Asset[] = [
  token(MAINNET, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', USDC),
  token(DEVNET, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', USDC),
  token(MAINNET, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', { symbol: 'USDT', name: 'Tether USD' }),
  token(MAINNET, '2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH', { symbol: 'USDG', name: 'Global Dollar', tokenProgram: TOKEN_2022 }),
  token(MAINNET, '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', PYUSD),
  token(MAINNET, 'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH', { symbol: 'CASH', name: 'CASH', tokenProgram: TOKEN_2022 }),
  token(DEVNET, 'CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM', PYUSD),
];
