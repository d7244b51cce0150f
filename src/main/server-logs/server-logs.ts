import type { ServerHealth, ServerLogLine } from '../../shared/contract/upstream-state.ts';
import type { BursarError } from '../../shared/errors/errors.ts';
import type { LinkWatch, ServerWatch } from '../bridge/server-watch.ts';
import { secretsOf, shownLine } from '../bridge/shown-line.ts';
import type { UpstreamSpec } from '../bridge/upstream.ts';
import { shownArguments } from '../clients/foreign-server.ts';

/** So many lines are kept of a server, each of so many characters, in memory alone. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 400;

/** How the servers are, and what they last said on their stderr. */
export interface ServerLogs extends ServerWatch {
  health(upstream: string): ServerHealth;
  /** Oldest first; those after a number, where one is given. */
  lines(upstream: string, after?: number): readonly ServerLogLine[];
  /** The server was changed or removed. */
  forget(upstream: string): void;
}

export interface ServerLogsOptions {
  readonly now: () => number;
  /** Called when a server started, ended or failed. */
  readonly changed: () => void;
}

interface Known {
  links: number;
  starts: number;
  startedAt?: number;
  /** Until when it is awaited that it starts again by itself. */
  restartAt: number;
  lastError?: ServerHealth['lastError'];
  lines: ServerLogLine[];
}

export function createServerLogs({ now, changed }: ServerLogsOptions): ServerLogs {
  const servers = new Map<string, Known>();
  let number = 0;

  const of = (upstream: string): Known => {
    const known = servers.get(upstream) ?? { links: 0, starts: 0, restartAt: 0, lines: [] };
    servers.set(upstream, known);
    return known;
  };
  const write = (known: Known, kind: ServerLogLine['kind'], text: string): void => {
    const last = known.lines.at(-1);
    number += 1;
    if (last && last.kind === kind && last.text === text) known.lines[known.lines.length - 1] = { ...last, number, at: now(), times: last.times + 1 };
    else known.lines.push({ number, at: now(), kind, text, times: 1 });
    if (known.lines.length > MOST_LINES) known.lines.shift();
  };

  return {
    opened(spec: UpstreamSpec): LinkWatch {
      const known = of(spec.name);
      const secrets = secretsOf(spec.transport, shownArguments);
      const shown = (text: string) => shownLine(text, secrets, MOST_CHARACTERS);
      const note = ({ code, message }: BursarError): void => {
        known.lastError = { at: now(), code, message: shown(message) };
        write(known, 'error', shown(message));
        changed();
      };
      known.links += 1;
      known.starts += 1;
      known.startedAt = now();
      known.restartAt = 0;
      write(known, 'event', spec.transport.kind === 'stdio' ? 'Started.' : 'Connection opened.');
      changed();
      return {
        stderr(line) {
          const text = shown(line);
          if (text !== '') write(known, 'stderr', text);
          return text;
        },
        failed: note,
        ended(error) {
          known.links -= 1;
          if (error) return note(error);
          write(known, 'event', spec.transport.kind === 'stdio' ? 'Ended, as nobody uses it any more.' : 'Connection closed.');
          changed();
        },
      };
    },
    restarts(upstream, inMs) {
      const known = of(upstream);
      known.restartAt = now() + inMs;
      write(known, 'event', `Starts again in ${(inMs / 1000).toFixed(1)} s.`);
      changed();
    },
    health(upstream) {
      const { links = 0, starts = 0, startedAt, restartAt = 0, lastError } = servers.get(upstream) ?? {};
      const state = links > 0 ? 'running' : restartAt > now() ? 'restarting' : 'stopped';
      return { name: upstream, state, links, starts, ...(startedAt !== undefined && { startedAt }), ...(lastError && { lastError }) };
    },
    lines: (upstream, after = 0) => (servers.get(upstream)?.lines ?? []).filter((line) => line.number > after),
    forget(upstream) {
      // Links that are still open report to what they were opened with; it is shown no more.
      servers.delete(upstream);
    },
  };
}
