import { randomUUID } from 'node:crypto';
import type { ControlConnection, ControlRole } from '../bridge/downstream-socket.ts';
import { RequestFrame, type ServerFrame } from '../../shared/contract/contract.ts';
import type { Caller } from './caller.ts';
import type { EventHub } from './event-hub.ts';
import type { OwnerSessions } from './owner-sessions.ts';
import type { Router } from './router.ts';

export interface ControlDeps {
  readonly router: Router;
  readonly events: EventHub;
  readonly sessions: OwnerSessions;
  readonly host: Caller['host'];
  readonly role: ControlRole;
}

/** The contract over the local socket, for the command line: one frame in each line. A line that is no frame ends the connection. */
export function serveControl(connection: ControlConnection, { router, events, sessions, host, role }: ControlDeps): void {
  const gone = new AbortController();
  const caller: Caller = { surface: role === 'approvals' ? 'cli-approval' : 'cli', connection: randomUUID(), host, gone: gone.signal };
  const send = (frame: ServerFrame) => connection.send(JSON.stringify(frame));
  const unsubscribe = events.subscribe((event) => send({ event }));
  connection.onClose(() => {
    unsubscribe();
    gone.abort();
    sessions.end(caller.connection);
  });
  connection.onLine((line) => {
    const frame = readFrame(line);
    if (!frame) return connection.close();
    void router.dispatch(frame.route, frame.input, caller).then((reply) => send({ id: frame.id, reply }));
  });
}

function readFrame(line: string): RequestFrame | undefined {
  try {
    return RequestFrame.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
