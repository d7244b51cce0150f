import type { SignedNonces } from '../../../core/ports.ts';
import type { Db } from './database.ts';

/** The payments that a payer signed under a nonce which the server gave. The condition is the index's own (migration "server nonces"). */
export function createSignedNonces(db: Db): SignedNonces {
  const under = db.prepare<[string, string], { readonly digest: string; readonly money: string }>(
    `SELECT terms_digest AS digest, money FROM payments
     WHERE payer = ? AND CASE WHEN json_valid(track) THEN json_extract(track, '$.nonce') END = ? AND dialect IN ('mpp', 'mpp-http') AND track IS NOT NULL`,
  );
  return (payer, nonce) => under.all(payer, nonce).map(({ digest, money }) => ({ termsDigest: digest, dead: money === 'dead' }));
}
