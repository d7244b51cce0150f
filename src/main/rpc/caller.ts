/** Who makes a request, as the carrier that received it knows; never what the caller says of itself. */
export interface Caller {
  readonly surface: 'dashboard' | 'approval' | 'cli';
  /** Names one connection (a window, a WebSocket, a control socket) for as long as it lasts. The key of its owner session. */
  readonly connection: string;
  readonly host: 'electron' | 'headless';
  /** Aborts when the connection ends, where its carrier can tell. */
  readonly gone?: AbortSignal;
}
