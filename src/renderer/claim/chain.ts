import { BursarError } from '../../shared/errors/errors.ts';
import type { ClaimLink } from '../../shared/escrow/claim-link.ts';
import { evmAddressOf } from './evm.ts';
import { solanaAddressOf, tokenAccountOf } from './solana.ts';

/** Where the money of a link is; `unknown` without an RPC server that answers. */
export type Whereabouts = 'there' | 'claimed' | 'returned' | 'gone' | 'unknown';

/** keccak-256 of `Transfer(address,address,uint256)` (EIP-20). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BALANCE_OF = '0x70a08231';
const SEARCH_BLOCKS = 2_000n;
const MAX_SEARCHES = 10;
const TIMEOUT_MS = 10_000;

/** Asks each server in turn. Throws `CHAIN_UNREACHABLE`. */
export async function ask(urls: readonly string[], method: string, params: readonly unknown[]): Promise<unknown> {
  for (const url of urls) {
    try {
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal: AbortSignal.timeout(TIMEOUT_MS) });
      const answer: unknown = await response.json();
      if (answer !== null && typeof answer === 'object' && 'result' in answer) return answer.result;
    } catch {
      // The next one may answer.
    }
  }
  throw new BursarError('CHAIN_UNREACHABLE', 'The network cannot be reached from here.', { hint: 'Try again in a while.' });
}

/** A value at a path of an answer, whatever else it holds. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner !== null && typeof inner === 'object' ? (inner as Record<string | number, unknown>)[key] : undefined), value);

export async function whereabouts(link: ClaimLink, urls: readonly string[]): Promise<Whereabouts> {
  try {
    return urls.length === 0 ? 'unknown' : await (link.network.startsWith('eip155:') ? onEvm(link, urls) : onSolana(link, urls));
  } catch {
    return 'unknown';
  }
}

async function onEvm({ token, units, sender, secret }: ClaimLink, urls: readonly string[]): Promise<Whereabouts> {
  const topic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const owner = topic(evmAddressOf(secret));
  const balance = await ask(urls, 'eth_call', [{ to: token.address, data: `${BALANCE_OF}${owner.slice(2)}` }, 'latest']);
  if (typeof balance === 'string' && /^0x[0-9a-f]+$/i.test(balance) && BigInt(balance) >= BigInt(units)) return 'there';
  const head = await ask(urls, 'eth_blockNumber', []);
  let to = BigInt(String(head));
  for (let searches = 0; searches < MAX_SEARCHES && to >= 0n; searches += 1) {
    const from = to >= SEARCH_BLOCKS ? to - SEARCH_BLOCKS + 1n : 0n;
    const found = await ask(urls, 'eth_getLogs', [{ address: token.address, topics: [TRANSFER, owner], fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }]);
    const target = at(found, 0, 'topics', 2);
    if (typeof target === 'string') return target.toLowerCase() === topic(sender) ? 'returned' : 'claimed';
    to = from - 1n;
  }
  return 'gone';
}

async function onSolana({ token, units, sender, secret }: ClaimLink, urls: readonly string[]): Promise<Whereabouts> {
  const owner = solanaAddressOf(secret);
  const account = tokenAccountOf(owner, token);
  const shown = await ask(urls, 'getAccountInfo', [account, { commitment: 'confirmed', encoding: 'base64' }]);
  const data = at(shown, 'value', 'data', 0);
  if (typeof data === 'string' && amountIn(data) >= BigInt(units)) return 'there';
  const list = await ask(urls, 'getSignaturesForAddress', [account, { commitment: 'confirmed', limit: 10 }]);
  for (const entry of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    if (at(entry, 'err') !== null) continue;
    const landed = await ask(urls, 'getTransaction', [at(entry, 'signature'), { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 }]);
    const held = (which: string, of: string): bigint => {
      const balances = at(landed, 'meta', which);
      const found = (Array.isArray(balances) ? (balances as readonly unknown[]) : []).find((one) => at(one, 'owner') === of && at(one, 'mint') === token.address);
      const amount = at(found, 'uiTokenAmount', 'amount');
      return typeof amount === 'string' ? BigInt(amount) : 0n;
    };
    if (held('postTokenBalances', owner) < held('preTokenBalances', owner)) return held('postTokenBalances', sender) > held('preTokenBalances', sender) ? 'returned' : 'claimed';
  }
  return 'gone';
}

/** The amount is a u64 at offset 64 of a token account (SPL Token, `Account`). */
function amountIn(data: string): bigint {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return bytes.length < 72 ? 0n : new DataView(bytes.buffer).getBigUint64(64, true);
}
