/** Who makes a request, as the carrier that received it knows; never what the caller says of itself. */
export interface Caller {
  /** `cli` changes settings, `cli-approval` answers payments: two connections, as the two pages are. */
  readonly surface: 'dashboard' | 'approval' | 'cli' | 'cli-approval';
  /** Names one connection (a window, a WebSocket, a control socket) for as long as it lasts. The key of its owner session. */
  readonly connection: string;
  readonly host: 'electron' | 'headless';
  /** Origin of the headless page, as the browser said it and the server found it to be its own. */
  readonly origin?: string;
  /** Aborts when the connection ends, where its carrier can tell. */
  readonly gone?: AbortSignal;
}
