/** The sandbox's EVM network as the x402 wire names it (CAIP-2): Base Sepolia, whose identity the local chain takes. */
export const EVM_NETWORK = 'eip155:84532';
/** {@link EVM_NETWORK}'s chain id. */
export const EVM_CHAIN_ID = 84532;
/** Circle's USDC on Base Sepolia; the play-money token lies at the same address. EIP-712 name `USDC`, version `2`. */
export const EVM_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
/** {@link EVM_NETWORK} as x402 v1 spells it. */
export const EVM_NETWORK_V1 = 'base-sepolia';

/** The sandbox's Solana network (CAIP-2): devnet, whose identity the local chain takes. */
export const SOLANA_NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
/** Devnet's genesis hash; {@link SOLANA_NETWORK} is its first 32 characters. */
export const SOLANA_GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
/** Circle's USDC mint on devnet; the play-money mint lies at the same address. */
export const SOLANA_USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
/** {@link SOLANA_NETWORK} as x402 v1 spells it. */
export const SOLANA_NETWORK_V1 = 'solana-devnet';

/** The networks that play money exists on, by CAIP-2 name. */
export type SandboxNetwork = typeof EVM_NETWORK | typeof SOLANA_NETWORK;
