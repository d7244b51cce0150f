/** What a payment transaction of x402 `exact` on Solana is made of (wire-formats section 3); both its builder and its check read this. */
export const COMPUTE_UNIT_LIMIT = 20_000;
export const COMPUTE_UNIT_PRICE = 1n;
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** The memo program that facilitators know; the newer one is refused. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const MAX_MEMO_BYTES = 256;
export const MAX_U64 = (1n << 64n) - 1n;
