/** A JSON-RPC error answer of the sandbox's Solana node; codes and texts are those of a real node. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

// JSON-RPC 2.0, section 5.1
const INVALID_PARAMS = -32602;

/** JSON-RPC's "invalid params". */
export const invalidParams = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid param: ${why}`);
