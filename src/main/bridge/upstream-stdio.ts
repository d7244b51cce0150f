import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { BursarError } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { childCommand } from './child-command.ts';
import { childEnvironment } from './child-environment.ts';
import { contained, reasonOf } from './contained.ts';
import type { BridgeLimits } from './limits.ts';
import { lineSplitter } from './lines.ts';
import type { Log } from './log.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { secretsOf, shownLine } from './shown-line.ts';
import type { Upstream, UpstreamEvents, UpstreamSpec, UpstreamTransport } from './upstream.ts';

/** How long a server may take to end by itself, first after its stdin closed, then after SIGTERM. */
const GRACE_MS = 2_000;
/** How long output is awaited after the process has ended: a grandchild may hold the pipe open for ever. */
const LAST_WORDS_MS = 200;
/** A process that closed its stdin or stdout usually ends, and its exit tells more. One that lives on for so long is ended: nobody could be answered. */
const HALF_CLOSED_MS = 500;
/** A server that has left so much unread, or a message of the largest size, is sent no more. */
const UNREAD_BYTES = 4 * 1024 * 1024;
const STDERR_LINE_BYTES = 64 * 1024;
/** So much of a server's last line on stderr is told with its end. */
const LAST_LINE_CHARACTERS = 200;

export interface StdioUpstreamOptions {
  readonly spec: UpstreamSpec;
  readonly transport: Extract<UpstreamTransport, { kind: 'stdio' }>;
  readonly events: UpstreamEvents;
  readonly limits: BridgeLimits;
  readonly guard: OrphanGuard;
  readonly log: Log;
  /** Hears each line that the server writes on its stderr, and gives back what may be shown of it. */
  readonly onStderr?: ((line: string) => string) | undefined;
}

/** Starts the server's process, in a process group of its own. A process that cannot be started is reported by `onDown`. */
export function openStdioUpstream({ spec, transport, events, limits, guard, log, onStderr }: StdioUpstreamOptions): Upstream {
  const windows = process.platform === 'win32';
  const { file, args, windowsVerbatimArguments } = childCommand(transport.command, transport.args);
  const child: ChildProcessWithoutNullStreams = spawn(file, args, {
    windowsVerbatimArguments,
    env: childEnvironment(transport.env),
    ...(transport.cwd === undefined ? {} : { cwd: transport.cwd }),
    stdio: 'pipe',
    detached: !windows,
    windowsHide: true,
  });
  const mostUnread = Math.max(limits.maxMessageBytes, UNREAD_BYTES);
  const { pid } = child;
  if (pid !== undefined) guard.watch(pid);

  let down = false;
  let closing = false;
  let lastLine = '';
  const secrets = secretsOf(transport);
  let halfClosed: NodeJS.Timeout | undefined;
  const { promise: gone, resolve: markGone } = Promise.withResolvers<void>();

  const signalGroup = (signal: NodeJS.Signals): void => {
    if (pid === undefined) return;
    try {
      if (windows) spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
      else process.kill(-pid, signal);
    } catch {
      // The group is gone already, which is what was wanted.
    }
  };

  const end = (error: BursarError): void => {
    if (down) return;
    down = true;
    clearTimeout(halfClosed);
    // Whatever the server started and left behind goes with it.
    if (!windows || (child.exitCode === null && child.signalCode === null)) signalGroup('SIGKILL');
    if (pid !== undefined) guard.forget(pid);
    markGone();
    if (!closing) events.onDown(error);
  };

  const defect = (cause: unknown): void => {
    log.error('a message of a server could not be handled', { upstream: spec.name, reason: reasonOf(cause) });
    end(new BursarError('UPSTREAM_EXITED', `The server "${spec.name}" sent a message that Bursar could not handle, and was ended.`, { context: { upstream: spec.name }, cause }));
  };

  child.on('error', (cause) => {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'error';
    if (pid === undefined) end(new BursarError('UPSTREAM_UNREACHABLE', `The server "${spec.name}" could not be started (${reason}).`, { context: { upstream: spec.name, reason }, cause }));
  });
  child.on('exit', (code, signal) => {
    clearTimeout(halfClosed);
    const reason = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const report = (): void => {
      const said = lastLine === '' ? '' : ` The last line on its stderr: ${lastLine}`;
      end(new BursarError('UPSTREAM_EXITED', `The server "${spec.name}" ended (${reason}).${said}`, { context: { upstream: spec.name, reason, ...(lastLine !== '' && { stderr: lastLine }) } }));
    };
    const timer = setTimeout(report, LAST_WORDS_MS);
    child.on('close', () => {
      clearTimeout(timer);
      report();
    });
  });

  child.stdout.on('data', contained(lineSplitter(limits.maxMessageBytes, {
    onLine: (line) => {
      if (!down) events.onMessage(line);
    },
    onTooLong: (idText) => {
      if (down) return;
      const limit = String(limits.maxMessageBytes);
      const error = new BursarError('MESSAGE_TOO_LARGE', `The server "${spec.name}" sent a message of more than ${limit} bytes.`, { context: { upstream: spec.name, limit } });
      // Whose answer it was is not known otherwise: then every call has to fail, or one would wait for ever.
      if (idText === undefined) end(error);
      else events.onAnswerLost(idText, error);
    },
  }), defect));
  child.stderr.on('data', lineSplitter(STDERR_LINE_BYTES, {
    onLine: (line) => {
      log.debug('server stderr', { upstream: spec.name, line: line.slice(0, 500) });
      // It is told to the agent too (I6). Whoever listens also knows which arguments are secrets.
      const shown = cleanText(onStderr?.(line) ?? shownLine(line, secrets, LAST_LINE_CHARACTERS), LAST_LINE_CHARACTERS);
      if (shown !== '') lastLine = shown;
    },
    onTooLong: () => log.debug('server stderr: a very long line', { upstream: spec.name }),
  }));
  const onHalfClosed = (what: string): void => {
    if (down || closing || child.exitCode !== null || child.signalCode !== null) return;
    halfClosed ??= setTimeout(() => {
      if (!closing) end(new BursarError('UPSTREAM_EXITED', `The server "${spec.name}" closed its ${what} and was ended.`, { context: { upstream: spec.name, reason: `closed ${what}` } }));
    }, HALF_CLOSED_MS);
  };
  child.stdin.on('error', () => onHalfClosed('stdin'));
  child.stdout.on('error', () => onHalfClosed('stdout')).on('end', () => onHalfClosed('stdout'));
  child.stdin.on('drain', () => events.onPressure(false));

  const api: Upstream = {
    send({ text, exchange, paid }) {
      // A client that is held back sends no more; one over HTTP cannot be. What is paid for is signed and goes out all the same.
      if (child.stdin.writableLength >= mostUnread && paid !== true) {
        return events.onExchangeEnd(exchange, new BursarError('UPSTREAM_UNREACHABLE', `The server "${spec.name}" takes in no messages at the moment.`, { context: { upstream: spec.name, waitingBytes: String(child.stdin.writableLength) }, hint: 'Try again later.' }));
      }
      if (!child.stdin.write(`${text}\n`)) events.onPressure(true);
    },
    setPaused(paused) {
      if (paused) child.stdout.pause();
      else child.stdout.resume();
    },
    // Another process takes over what this one would still say.
    retire: () => api.close(),
    async close() {
      closing = true;
      if (down) return;
      child.stdin.end();
      child.stdout.resume();
      const term = setTimeout(() => signalGroup('SIGTERM'), GRACE_MS);
      const kill = setTimeout(() => signalGroup('SIGKILL'), 2 * GRACE_MS);
      await gone;
      clearTimeout(term);
      clearTimeout(kill);
    },
  };
  return api;
}
