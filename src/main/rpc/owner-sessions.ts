import type { Clock } from '../../core/ports.ts';

/** How long an owner session lasts from its opening (design, "Headless page"). */
export const OWNER_SESSION_MS = 15 * 60_000;

/** Connections on which the owner proved to be there. In memory only: a restart ends them all. */
export interface OwnerSessions {
  /** Opens the connection's session, or starts its 15 minutes anew. Returns when it ends. */
  open(connection: string): number;
  /** When the connection's session ends; undefined without one. */
  until(connection: string): number | undefined;
  /** Ends one connection's session, as when the connection closed. */
  end(connection: string): void;
  /** Ends every session, as when the keys are locked. */
  endAll(): void;
}

/** Creates the set. `changed` is called after a session opened or ended. */
export function createOwnerSessions({ clock, changed }: { readonly clock: Clock; readonly changed: () => void }): OwnerSessions {
  const sessions = new Map<string, { readonly until: number; readonly callOff: () => void }>();

  const remove = (connection: string): boolean => {
    sessions.get(connection)?.callOff();
    return sessions.delete(connection);
  };
  const end = (connection: string): void => {
    if (remove(connection)) changed();
  };

  return {
    open(connection) {
      remove(connection);
      const until = clock.now() + OWNER_SESSION_MS;
      // The timer counts elapsed time, so that a wall clock set back prolongs nothing; `until` covers a sleeping machine.
      sessions.set(connection, { until, callOff: clock.after(OWNER_SESSION_MS, () => end(connection)) });
      changed();
      return until;
    },
    until(connection) {
      const session = sessions.get(connection);
      return session !== undefined && clock.now() < session.until ? session.until : undefined;
    },
    end,
    endAll() {
      const open = [...sessions.keys()];
      for (const connection of open) remove(connection);
      if (open.length > 0) changed();
    },
  };
}
