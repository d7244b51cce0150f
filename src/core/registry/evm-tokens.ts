import type { Asset } from './assets.ts';
import type { NetworkId } from './networks.ts';

type Domain = NonNullable<Asset['eip712']>;
type Kind = Pick<Asset, 'symbol' | 'name' | 'pegged'>;

const USDC: Kind = { symbol: 'USDC', name: 'USD Coin', pegged: 'USD' };
const EURC: Kind = { symbol: 'EURC', name: 'Euro Coin' };
const USDT0: Kind = { symbol: 'USDT0', name: 'Tether USD', pegged: 'USD' };
const USDT: Kind = { symbol: 'USDT', name: 'Tether USD', pegged: 'USD' };

/** The domain's name is the contract's own and differs from deployment to deployment. */
const USD_COIN: Domain = { name: 'USD Coin', version: '2' };
const PLAIN_USDC: Domain = { name: 'USDC', version: '2' };
const EURO_COIN: Domain = { name: 'Euro Coin', version: '2' };
const TETHER_0: Domain = { name: 'USD₮0', version: '1' };

const token = (chainId: number, address: string, { kind, domain }: { kind: Kind; domain: Domain }): Asset => ({
  network: `eip155:${chainId}` satisfies NetworkId,
  address,
  ...kind,
  decimals: 6,
  eip712: domain,
});

/** Tokens with EIP-3009 on `eip155` networks. */
export const EVM_TOKENS: readonly Asset[] = [
  token(8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', { kind: USDC, domain: USD_COIN }),
  token(84532, '0x036CbD53842c5426634e7929541eC2318f3dCF7e', { kind: USDC, domain: PLAIN_USDC }),
  token(1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', { kind: USDC, domain: USD_COIN }),
  token(137, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', { kind: USDC, domain: USD_COIN }),
  token(42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', { kind: USDC, domain: USD_COIN }),
  token(10, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', { kind: USDC, domain: USD_COIN }),
  token(43114, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', { kind: USDC, domain: USD_COIN }),
  token(42220, '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', { kind: USDC, domain: PLAIN_USDC }),
  token(11155111, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', { kind: USDC, domain: PLAIN_USDC }),
  token(80002, '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', { kind: USDC, domain: PLAIN_USDC }),
  token(421614, '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', { kind: USDC, domain: USD_COIN }),
  token(11155420, '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', { kind: USDC, domain: PLAIN_USDC }),
  token(43113, '0x5425890298aed601595a70AB815c96711a31Bc65', { kind: USDC, domain: USD_COIN }),
  token(11142220, '0x01C5C0122039549AD1493B8220cABEdD739BC44E', { kind: USDC, domain: PLAIN_USDC }),
  token(8453, '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', { kind: EURC, domain: { name: 'EURC', version: '2' } }),
  token(1, '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', { kind: EURC, domain: EURO_COIN }),
  token(43114, '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD', { kind: EURC, domain: EURO_COIN }),
  token(42161, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', { kind: USDT0, domain: TETHER_0 }),
  token(10, '0x01bFF41798a0BcF287b996046Ca68b395DbC1071', { kind: USDT0, domain: TETHER_0 }),
  token(42220, '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', { kind: USDT, domain: { name: 'Tether USD', version: '1' } }),
];
