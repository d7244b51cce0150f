import { z } from 'zod';
import { Environment } from '../../../shared/contract/app.ts';
import { HASH_BYTES } from './row-digest.ts';
import type { ChainHead } from './chain.ts';
import type { PolicyHead } from './policy-chain.ts';

const Hash = z.string().length(2 * HASH_BYTES).regex(/^[0-9a-f]+$/);

const AnchorText = z.strictObject({
  version: z.literal(1),
  /** True until the first checkpoint was written, so that a run cut short between the two is no alarm. */
  adopting: z.boolean(),
  seq: z.number().int().nonnegative(),
  hash: Hash,
  policyNumber: z.number().int().nonnegative(),
  policyHash: Hash,
  /** When the backup was made that the ledger was restored from (ms), until the owner accepts that nothing later is in it. */
  restored: z.number().int().nonnegative().optional(),
  /** Hash of the guarded settings as the owner set or accepted them; absent before a Bursar that guards them first ran. */
  settings: Hash.optional(),
  /** The kind of money that the keys are for; absent before a Bursar that looks at it first ran. */
  environment: Environment.optional(),
});

/** What lies with the keys: a point that the ledger and the policy reached, and can therefore not be behind of. */
export interface Anchor {
  readonly adopting: boolean;
  readonly head: ChainHead;
  readonly policy: PolicyHead;
  readonly restored?: number;
  readonly settings?: string;
  readonly environment?: Environment;
}

export function encodeAnchor({ adopting, head, policy, restored, settings, environment }: Anchor): Uint8Array {
  const text: z.infer<typeof AnchorText> = { version: 1, adopting, seq: head.seq, hash: head.hash.toString('hex'), policyNumber: policy.number, policyHash: policy.hash.toString('hex'), ...(restored !== undefined && { restored }), ...(settings !== undefined && { settings }), ...(environment && { environment }) };
  return Buffer.from(JSON.stringify(text));
}

/** Undefined where the bytes are no anchor. */
export function decodeAnchor(bytes: Uint8Array): Anchor | undefined {
  try {
    const { adopting, seq, hash, policyNumber, policyHash, restored, settings, environment } = AnchorText.parse(JSON.parse(Buffer.from(bytes).toString()));
    return { adopting, head: { seq, hash: Buffer.from(hash, 'hex') }, policy: { number: policyNumber, hash: Buffer.from(policyHash, 'hex') }, ...(restored !== undefined && { restored }), ...(settings !== undefined && { settings }), ...(environment && { environment }) };
  } catch {
    return undefined;
  }
}

/** An anchor out of a backup of that time, marked as such. What is no anchor stays as it is, and is found out at the first start. */
export function restoredAnchor(bytes: Uint8Array, createdAt: number): Uint8Array {
  const anchor = decodeAnchor(bytes);
  return anchor ? encodeAnchor({ ...anchor, restored: createdAt }) : bytes;
}
