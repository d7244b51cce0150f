import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Challenge, Offer } from './dialect.ts';

/** So many ids are remembered; the oldest goes first. A server that waits for that gains nothing: the terms are approved each time. */
const MOST_INSTANCES = 10_000;

/**
 * Remembers the terms of requests that servers named by an id of their own. Such an id may come again while it is not paid, but never with
 * other terms: a proof for the one would count as a proof for the other.
 */
export interface KnownInstances {
  /** Throws `CHALLENGE_MALFORMED` where the upstream used this id for other terms before. */
  requireSame(upstream: string, challenge: Challenge): void;
}

export function createKnownInstances(): KnownInstances {
  const termsOf = new Map<string, string>();

  function requireKnown(key: string, terms: string): void {
    const known = termsOf.get(key);
    if (known !== undefined && known !== terms) {
      throw new BursarError('CHALLENGE_MALFORMED', 'The payment request has the id of an earlier one, and other terms.');
    }
    const [oldest] = termsOf.keys();
    if (known === undefined && termsOf.size >= MOST_INSTANCES && oldest !== undefined) termsOf.delete(oldest);
    termsOf.set(key, terms);
  }

  return {
    requireSame(upstream, { dialect, instance, offers }) {
      // By its nonce an offer is an instance of its own, in whatever company it comes.
      const named = offers.flatMap((offer) => (offer.nonce === undefined ? [] : [[['nonce', offer.nonce], [offer]] as const]));
      for (const [id, about] of instance === undefined ? named : [[instance, offers] as const, ...named]) requireKnown(digest([upstream, dialect, id]), digest(about.map(termsOfOffer)));
    },
  };
}

const termsOfOffer = ({ scheme, network, asset, amount, payee }: Offer) => [scheme, network, asset, amount, payee];

/** Ids and terms may be long, and each is kept for as long as the process lives. */
const digest = (value: unknown): string => bytesToHex(sha256(utf8ToBytes(JSON.stringify(value))));
