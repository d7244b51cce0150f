import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** The SDK writes -32602 wherever a handler throws -32002, so that the seller throws this one instead. */
const STAND_IN = -32_902;
const REWRITTEN = -32_002;

/** What to throw, so that `code` is what buyers read behind {@link withRawCodes}. */
export const thrownCode = (code: number): number => (code === REWRITTEN ? STAND_IN : code);

/** A transport that puts the codes back on their way out. */
export function withRawCodes<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(restored(message), options);
  return transport;
}

const restored = (message: JSONRPCMessage): JSONRPCMessage =>
  'error' in message && message.error.code === STAND_IN ? { ...message, error: { ...message.error, code: REWRITTEN } } : message;
