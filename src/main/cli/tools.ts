import type { Environment } from '../../shared/contract/app.ts';
import type { Connection, ConnectOptions } from './connection.ts';

/** What every group of commands is given. */
export interface CommandTools {
  /** Connects, works, and disconnects whatever happens. */
  readonly withConnection: (work: (connection: Connection) => Promise<void>, options?: ConnectOptions) => Promise<void>;
  /** Writes one JSON object, or lines to read. */
  readonly print: (json: boolean | undefined, value: unknown, lines: () => readonly string[]) => void;
  /** The whole command line of some words. */
  readonly command: (words: string) => string;
  readonly environment: () => Environment;
  /** The command did its work and found something wrong: exit code 1. */
  readonly foundWrong: () => void;
}

export const JSON_OPTION = ['--json', 'print one JSON object'] as const;
