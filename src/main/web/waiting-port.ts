import type { Clock, Log } from '../../core/ports.ts';
import { isBursarError } from '../../shared/errors/errors.ts';
import type { WebServer } from './web-server.ts';

/** How often a port that another program has is tried again. */
export const PORT_RETRY_MS = 5_000;

export interface WaitingPort {
  /** True until the port could be had. */
  readonly waiting: boolean;
  close(): Promise<void>;
}

export interface WaitingPortOptions {
  readonly server: WebServer;
  readonly port: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
  /** Called once the server listens there. */
  readonly onOpen: () => void;
}

/** Tries to listen on a port that is taken, again and again until it is free. */
export function waitForPort({ server, port, clock, log, onOpen }: WaitingPortOptions): WaitingPort {
  let waiting = true;
  let closed = false;
  let trying: Promise<void> = Promise.resolve();
  let callOff = clock.after(PORT_RETRY_MS, tryAgain);

  function tryAgain(): void {
    trying = attempt();
  }

  async function attempt(): Promise<void> {
    try {
      await server.listen(port);
      waiting = false;
      if (!closed) onOpen();
    } catch (error) {
      if (!isBursarError(error, 'PORT_IN_USE')) log.error('the port cannot be opened', { port, reason: error instanceof Error ? error.message : String(error) });
      if (!closed) callOff = clock.after(PORT_RETRY_MS, tryAgain);
    }
  }

  return {
    get waiting() {
      return waiting;
    },
    async close() {
      closed = true;
      callOff();
      await trying;
      await server.close();
    },
  };
}
