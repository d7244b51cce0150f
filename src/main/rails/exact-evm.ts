import type { Hex } from 'viem';
import { bytesToHex } from 'viem/utils';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import { stringifyJson } from '../../core/json/json.ts';
import type { Cancel, Keys, Rail, RandomBytes, SignedNonces } from '../../core/ports.ts';
import { REGISTERED, type Asset, type Assets } from '../../core/registry/assets.ts';
import { evmChainId } from '../../core/registry/networks.ts';
import { authorizationHash, MAX_LIFETIME_S } from './eip3009.ts';
import { payeeOf } from './evm-payee.ts';
import { verifyExactEvm } from './exact-evm-decode.ts';
import { requireAuthorizationFlow, requireSameTerms } from './offer-terms.ts';
import { signHash } from './secp256k1.ts';
import { createServerNonces } from './server-nonces.ts';

/** Below this an authorization would likely expire on its way: facilitators want 6 s left when they verify. */
const MIN_LIFETIME_S = 10;
/** x402 v1 lets an authorization begin ten minutes before it was signed, for clocks that lag. */
const V1_HEAD_START_S = 600;
const NONCE = /^0x[0-9a-fA-F]{64}$/;

export interface ExactEvmPorts {
  readonly keys: Keys;
  readonly random: RandomBytes;
  /** Tokens that may be paid; the registry alone where none is given. */
  readonly assets?: Assets;
  /** Reads the chain (I5). */
  readonly observe: Rail['observe'];
  /** What was signed before under nonces that servers set. */
  readonly signedNonces?: SignedNonces;
  /** Cancels what was signed, for a fee. */
  readonly cancel?: Cancel;
}

/**
 * x402 `exact` on `eip155` networks by EIP-3009 (wire-formats section 3): a signed `TransferWithAuthorization` that the seller settles.
 * Signing needs no network. The track holds `nonce`, `validBefore` (s) and `signedAt` (s).
 */
export function createExactEvm({ keys, random, assets = REGISTERED, observe, signedNonces = () => [], cancel }: ExactEvmPorts): Rail {
  const requireUnsigned = createServerNonces(signedNonces);
  return {
    id: 'exact-evm',
    scheme: 'exact',
    namespace: 'eip155',
    flow: 'authorize',
    check,

    async sign({ terms, offer, asset, account, now }) {
      const { payee } = check(offer, asset);
      requireSameTerms(terms, { offer, payee, asset, account });

      const signedAt = Math.floor(now / 1000);
      const notAfter = endOf(offer);
      const validBefore = Math.min(signedAt + lifetime(offer), notAfter ?? Number.MAX_SAFE_INTEGER);
      if (validBefore < signedAt + MIN_LIFETIME_S) throw new BursarError('NO_PAYABLE_OFFER', 'Its offer has expired, or does so before the payment could settle.');
      const validAfter = offer.x402Version === 1 ? signedAt - V1_HEAD_START_S : 0;
      const given = offer.nonce?.toLowerCase() as Hex | undefined;
      if (given !== undefined) requireUnsigned(terms, given);
      const nonce = given ?? bytesToHex(random(32));
      const hash = authorizationHash(domain(asset), { from: terms.payer, to: terms.payee, value: terms.amount, validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce });
      const { rs, parity } = await keys
        .use(account.id, (privateKey) => signHash(hash, privateKey))
        .catch((error: unknown) => {
          if (isBursarError(error)) throw error;
          // Without its cause: a library's text about a bad key may quote the key (I6).
          throw new BursarError('SIGNING_FAILED', `The account ${account.address} could not sign.`);
        });

      const authorization = { from: terms.payer, to: terms.payee, value: terms.amount.toString(), validAfter: String(validAfter), validBefore: String(validBefore), nonce };
      const payloadText = JSON.stringify({ signature: `${bytesToHex(rs)}${parity === 0 ? '1b' : '1c'}`, authorization });
      await verifyExactEvm(payloadText, terms, { signedAt, nonce: given ?? nonce, validAfter, ...(notAfter !== undefined && { notAfter }) }, assets);
      return {
        payloadText,
        track: { kind: 'eip3009', nonce, validBefore: String(validBefore), signedAt: String(signedAt) },
        outstandingUntil: validBefore * 1000,
      };
    },

    observe,
    ...(cancel && { cancel }),
  };
}

function check(offer: Offer, asset: Asset): { payee: string } {
  requireAuthorizationFlow(offer);
  const method = offer.extra.get('assetTransferMethod') ?? 'eip3009';
  if (method !== 'eip3009') {
    const name = method === 'permit2' ? 'Permit2' : stringifyJson(method).slice(0, 40);
    throw new BursarError('FLOW_UNSUPPORTED', `It wants the token moved by ${name}, and this wallet signs EIP-3009 transfers alone.`);
  }
  domain(asset);
  for (const key of ['name', 'version'] as const) {
    const offered = offer.extra.get(key);
    const known = asset.eip712?.[key];
    if (offered !== undefined && offered !== known) {
      const written = typeof offered === 'string' ? `"${offered.slice(0, 60)}"` : 'not a text';
      throw new BursarError('ASSET_MISMATCH', `The offer gives ${asset.symbol}'s EIP-712 ${key} as ${written}, and the registry says "${known}".`);
    }
  }
  lifetime(offer);
  if (offer.nonce !== undefined && !NONCE.test(offer.nonce)) throw new BursarError('CHALLENGE_MALFORMED', 'The offer sets a nonce that is not 32 bytes in hex.');
  return { payee: payeeOf(offer, asset) };
}

/** When the offer itself ends (s). */
const endOf = ({ expiresAt }: Offer): number | undefined => (expiresAt === undefined ? undefined : Math.floor(expiresAt / 1000));

/** Seconds that the authorization will live: what the server wants, clamped; a shorter life is always allowed by EIP-3009. */
function lifetime(offer: Offer): number {
  if (offer.maxTimeoutSeconds < MIN_LIFETIME_S) {
    throw new BursarError('NO_PAYABLE_OFFER', `It gives ${offer.maxTimeoutSeconds} s for the payment, and less than ${MIN_LIFETIME_S} s is too short to settle.`);
  }
  return Math.min(offer.maxTimeoutSeconds, MAX_LIFETIME_S);
}

function domain(asset: Asset) {
  if (!asset.eip712) throw new BursarError('ASSET_MISMATCH', `The registry knows no EIP-712 domain of ${asset.symbol} (${asset.address}), so it cannot be paid by signature.`);
  return { ...asset.eip712, chainId: evmChainId(asset.network), verifyingContract: asset.address as Hex };
}
