import type { Asset } from '../../core/registry/assets.ts';
import { TOKEN_2022 } from '../../core/registry/solana-tokens.ts';

/** What a payment transaction of x402 `exact` on Solana is made of (wire-formats section 3); both its builder and its check read this. */
export const COMPUTE_UNIT_PRICE = 1n;
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
/** The memo program that facilitators know; the newer one is refused. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const MAX_MEMO_BYTES = 256;
export const MAX_U64 = (1n << 64n) - 1n;

/** Token-2022 looks at a mint's extensions, which takes more than the plain transfer's limit. */
export const transferUnits = (asset: Pick<Asset, 'tokenProgram'>): number => (asset.tokenProgram === TOKEN_2022 ? 40_000 : 20_000);
