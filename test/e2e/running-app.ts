import type { ElectronApplication, Page } from '@playwright/test';
import type { HostName } from './hosts.ts';

/** One running application as its owner meets it, the same in every host. */
export interface RunningApp {
  readonly host: HostName;
  readonly home: string;
  /** `http://127.0.0.1:PORT/mcp` */
  readonly mcp: string;
  /** Bearer token of the default MCP client. */
  readonly token: string;
  readonly dashboard: Page;
  /** The approval page: in a browser a tab that is always there, in Electron the popup, once something waits. */
  approval(): Promise<Page>;
  /** The same, on screen with the focus, as an owner who looks at it has it. */
  attendedApproval(): Promise<Page>;
  /** Process id of the main process. */
  readonly pid: number;
  /** Main's side of Electron; absent in the headless host. */
  readonly electron?: ElectronApplication;
  /** Ends the application as its owner would. */
  close(): Promise<void>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
}
