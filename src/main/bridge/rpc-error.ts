import { errorText, toErrorInfo } from '../../shared/errors/errors.ts';

/** JSON-RPC codes that the bridge uses for its own errors; the stable code is in `data.code`. */
const RPC_SERVER_ERROR = -32000;
export const RPC_PARSE_ERROR = -32700;

/**
 * A JSON-RPC error response of Bursar's own.
 *
 * @param idText Raw JSON of the request's id; `null` where it is not known.
 */
export function errorResponse(idText: string, error: unknown, rpcCode = RPC_SERVER_ERROR): string {
  const info = toErrorInfo(error);
  const data = { code: info.code, hint: info.hint, context: info.context };
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify({ code: rpcCode, message: errorText(info), data })}}`;
}
