import { BursarError } from '../../shared/errors/errors.ts';
import type { ClaimLink } from '../../shared/escrow/claim-link.ts';
import { ask, at, whereabouts, type Whereabouts } from './chain.ts';
import { checkEvmAddress, evmAddressOf, signEvmClaim } from './evm.ts';
import { checkSolanaAddress, isTokenProgram, signSolanaClaim, signTokenAccount, solanaAddressOf, tokenAccountOf } from './solana.ts';

/** What whoever exported the page wrote into it. */
export interface PageConfig {
  readonly facilitators: Readonly<Record<string, readonly string[]>>;
  readonly rpcUrls: Readonly<Record<string, readonly string[]>>;
}

const LIFETIME_S = 300;
const SETTLE_MS = 60_000;
const ACCOUNT_MS = 60_000;
/** RPC servers show what happened a little later than it did. */
const MOVED_MS = 20_000;
const LOOK_EVERY_MS = 1_000;

/** Where the money goes, as its network writes it. Throws `ADDRESS_INVALID`. */
export function checkRecipient({ network, token, secret }: ClaimLink, text: string): string {
  const isEvm = network.startsWith('eip155:');
  const address = isEvm ? checkEvmAddress(text) : checkSolanaAddress(text);
  if (address === (isEvm ? evmAddressOf(secret) : solanaAddressOf(secret))) throw new BursarError('ADDRESS_INVALID', 'This is the account that the money lies in now. Give an address of your own.');
  if (address.toLowerCase() === token.address.toLowerCase()) throw new BursarError('ADDRESS_INVALID', 'This is the token itself and no wallet. What is sent there is lost.');
  return address;
}

export const lookAt = (link: ClaimLink, { rpcUrls }: PageConfig): Promise<Whereabouts> => whereabouts(link, rpcUrls[link.network] ?? []);

/** Why nothing can be claimed; undefined where something may be. */
export function whyGone(place: Whereabouts): BursarError | undefined {
  if (place === 'returned') return new BursarError('CLAIM_GONE', 'The sender has taken the money back already.');
  if (place === 'claimed') return new BursarError('CLAIM_GONE', 'The money was claimed already.');
  if (place === 'gone') return new BursarError('CLAIM_GONE', 'There is no money at the end of this link: it was claimed already, or the sender took it back.');
  return undefined;
}

/**
 * Signs the transfer of the whole amount with the escrow's key and has a facilitator settle it, which pays the network's fee. Gives the
 * transaction. Throws `CLAIM_EXPIRED`, `CLAIM_GONE`, `FACILITATOR_ERROR`, `SETTLEMENT_FAILED`, `CHAIN_UNREACHABLE`.
 */
export async function claim(link: ClaimLink, to: string, config: PageConfig): Promise<string> {
  if (Date.now() >= link.expiresAt) throw new BursarError('CLAIM_EXPIRED', 'The time to claim this money is over.');
  const gone = whyGone(await lookAt(link, config));
  if (gone) throw gone;
  const facilitators = (config.facilitators[link.network] ?? []).map((url) => url.replace(/\/$/, ''));
  if (facilitators.length === 0) throw new BursarError('FACILITATOR_ERROR', `This page has nobody who would move money on ${link.networkName}.`, { hint: 'Ask the sender, or claim with: bursar claim LINK --to ADDRESS' });
  const failures: BursarError[] = [];
  for (const facilitator of facilitators) {
    try {
      const transaction = await settle(facilitator, link, to, config);
      await requireMoved(facilitator, link, config);
      return transaction;
    } catch (error) {
      failures.push(error instanceof BursarError ? error : new BursarError('FACILITATOR_ERROR', `${new URL(facilitator).host} cannot be reached.`));
    }
    // An answer may be lost after the money moved.
    const place = await lookAt(link, config);
    const moved = whyGone(place);
    if (moved) throw moved;
  }
  throw failures.find(({ code }) => code === 'SETTLEMENT_FAILED') ?? failures[0] ?? new BursarError('FACILITATOR_ERROR', 'The money was not moved.');
}

/** A facilitator's word is not money: where the network can be asked, it has to show that the escrow is empty. Throws `SETTLEMENT_FAILED`. */
async function requireMoved(facilitator: string, link: ClaimLink, config: PageConfig): Promise<void> {
  const until = performance.now() + MOVED_MS;
  for (;;) {
    const place = await lookAt(link, config);
    if (place === 'returned') throw whyGone(place);
    if (place !== 'there') return;
    if (performance.now() >= until) throw new BursarError('SETTLEMENT_FAILED', `${new URL(facilitator).host} says that it moved the money, and the network does not show that.`, { hint: 'Open the link again in some minutes: it works as long as the money is there.' });
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function settle(facilitator: string, link: ClaimLink, to: string, config: PageConfig): Promise<string> {
  const { payload, extra } = link.network.startsWith('eip155:') ? evmPayment(link, to) : await solanaPayment(facilitator, link, to, config);
  const { network, units, token } = link;
  const paymentRequirements = { scheme: 'exact', network, amount: units, asset: token.address, payTo: to, maxTimeoutSeconds: LIFETIME_S, extra };
  const body = JSON.stringify({ x402Version: 2, paymentPayload: { x402Version: 2, accepted: paymentRequirements, payload }, paymentRequirements });
  const { host } = new URL(facilitator);
  const response = await fetch(`${facilitator}/settle`, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(SETTLE_MS) });
  const answer: unknown = await response.json();
  const transaction = at(answer, 'transaction');
  if (at(answer, 'success') === true && typeof transaction === 'string') return transaction.slice(0, 200);
  const reason = at(answer, 'errorReason');
  throw new BursarError('SETTLEMENT_FAILED', `${host} did not move the money: ${typeof reason === 'string' ? reason.slice(0, 120) : `HTTP ${response.status}`}.`, { hint: 'Try again in a while.' });
}

function evmPayment(link: ClaimLink, to: string) {
  const validBefore = Math.min(Math.floor(Date.now() / 1000) + LIFETIME_S, Math.floor(link.expiresAt / 1000));
  return { payload: signEvmClaim(link, { to, validBefore, nonce: crypto.getRandomValues(new Uint8Array(32)) }), extra: link.token.eip712 ?? {} };
}

async function solanaPayment(facilitator: string, link: ClaimLink, to: string, { rpcUrls }: PageConfig) {
  const urls = rpcUrls[link.network] ?? [];
  const response = await fetch(`${facilitator}/supported`, { signal: AbortSignal.timeout(SETTLE_MS) });
  const kinds = at(await response.json(), 'kinds');
  const kind = (Array.isArray(kinds) ? (kinds as readonly unknown[]) : []).find((one) => at(one, 'network') === link.network);
  const feePayer = at(kind, 'extra', 'feePayer');
  if (typeof feePayer !== 'string') throw new BursarError('FACILITATOR_ERROR', `${new URL(facilitator).host} moves no money on ${link.networkName}.`);
  const shown = await ask(urls, 'getAccountInfo', [to, { commitment: 'confirmed', encoding: 'base64' }]);
  if (isTokenProgram(at(shown, 'value', 'owner'))) throw new BursarError('ADDRESS_INVALID', 'This is a token account and no wallet: the money would be lost there. Give the address of your wallet itself.');
  await ensureTokenAccount(link, to, urls);
  const blockhash = await latestBlockhash(urls);
  return { payload: signSolanaClaim(link, { to, feePayer, blockhash, memo: crypto.getRandomValues(new Uint8Array(16)) }), extra: { feePayer } };
}

/** Makes the recipient's token account where there is none, from what the sender left for that. */
async function ensureTokenAccount(link: ClaimLink, to: string, urls: readonly string[]): Promise<void> {
  const account = tokenAccountOf(to, link.token);
  const exists = async () => at(await ask(urls, 'getAccountInfo', [account, { commitment: 'confirmed', encoding: 'base64' }]), 'value') !== null;
  if (await exists()) return;
  const wire = signTokenAccount(link, { to, blockhash: await latestBlockhash(urls) });
  await ask(urls, 'sendTransaction', [wire, { encoding: 'base64', preflightCommitment: 'confirmed' }]).catch(() => {
    throw new BursarError('CHAIN_UNREACHABLE', 'Your account for this token could not be made: the network did not take it, or what the sender left for that is used up.', { hint: 'Try again in a while, or give an address that holds this token already.' });
  });
  const until = performance.now() + ACCOUNT_MS;
  while (performance.now() < until) {
    if (await exists()) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new BursarError('CHAIN_UNREACHABLE', 'Your account for this token could not be made in time.', { hint: 'Try again in a while.' });
}

async function latestBlockhash(urls: readonly string[]): Promise<string> {
  const blockhash = at(await ask(urls, 'getLatestBlockhash', [{ commitment: 'finalized' }]), 'value', 'blockhash');
  if (typeof blockhash !== 'string') throw new BursarError('CHAIN_UNREACHABLE', 'The network gave no blockhash.', { hint: 'Try again in a while.' });
  return blockhash;
}
