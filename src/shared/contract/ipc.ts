/** Channels between a preload and main inside Electron. */
export const IPC_CHANNELS = {
  /** Invoked with a route's name and input; resolves with an envelope. */
  request: 'bursar:request',
  /** Sent by main with an event of the contract. */
  event: 'bursar:event',
} as const;
