import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { BursarError } from '../../shared/errors/errors.ts';
import { childEnvironment } from './child-environment.ts';
import { HOME_IN_USE_EXIT, launchCommand, socketKey, socketPath, startLogPath, type LaunchCommand } from './endpoint.ts';
import { HANDSHAKE_LINE_BYTES, HANDSHAKE_MS, introduction, newNonce, opening, verifyApp, type Hello } from './handshake.ts';

const POLL_MS = 50;

export interface AppConnectionOptions {
  readonly home: string;
  readonly hello: Hello;
  /** How to start the app where it has left no word itself. Without it, an app that does not run is an error. */
  readonly launch?: LaunchCommand;
  /** How long a started app may take until it listens. */
  readonly startMs: number;
}

/**
 * Connects to the app of this home, starting it where it does not run, and proves both sides. The socket is paused, and
 * nothing that was received is lost.
 *
 * @throws {BursarError} UNAUTHORIZED when what listens there does not know the secret, or does not accept ours;
 *   UPSTREAM_UNREACHABLE when the app cannot be started or does not listen in time.
 */
export async function connectToApp({ home, hello, launch, startMs }: AppConnectionOptions): Promise<Socket> {
  const deadline = performance.now() + startMs;
  let started: { readonly failure: () => BursarError | undefined } | undefined;
  for (;;) {
    const socket = await dial(socketPath(home));
    if (socket !== undefined) {
      const key = socketKey(home);
      if (key !== undefined) return introduce(socket, key, hello);
      socket.destroy();
    }
    if (started === undefined) {
      const command = launch === undefined ? undefined : (launchCommand(home) ?? launch);
      if (command === undefined) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running.', { context: { home }, hint: 'Start Bursar first.' });
      started = startApp(home, command);
    }
    const failure = started.failure();
    if (failure !== undefined) throw failure;
    if (performance.now() > deadline) {
      throw new BursarError('UPSTREAM_UNREACHABLE', `Bursar was started but did not answer within ${Math.round(startMs / 1000)} s.`, { context: { home }, hint: 'Start Bursar by hand and see what it says.' });
    }
    await delay(POLL_MS);
  }
}

/** A socket, or `undefined` where nobody listens. */
function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, allowHalfOpen: true });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ECONNREFUSED'].includes(error.code ?? '')) resolve(undefined);
      else reject(new BursarError('UPSTREAM_UNREACHABLE', `Bursar's socket cannot be opened (${error.code}).`, { context: { path }, cause: error }));
    });
  });
}

/** What an app needs of its desktop, and nothing else of the client that happens to start it. */
function desktopSession(): Record<string, string> {
  const names = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_CURRENT_DESKTOP'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

function startApp(home: string, { command, args, env }: LaunchCommand): { readonly failure: () => BursarError | undefined } {
  const logPath = startLogPath(home);
  // A file and no pipe: the app outlives this shim, and would break at its next word.
  const log = openIfPossible(logPath);
  let failure: BursarError | undefined;
  const fail = (reason: string): void => {
    failure = new BursarError('UPSTREAM_UNREACHABLE', `Bursar could not be started (${reason}).`, { context: { command, reason }, hint: 'Start Bursar by hand and see what it says.' });
  };
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'ignore', log ?? 'ignore'], windowsHide: true, env: childEnvironment({ ...desktopSession(), ...env }) });
  child.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
  // Several shims may start one each; all but the first find the data folder in use, and the first will listen.
  child.on('exit', (code, signal) => {
    if (code !== 0 && code !== HOME_IN_USE_EXIT) fail([signal ?? `exit code ${code}`, ...(log === undefined ? [] : lastLine(logPath))].join(': '));
  });
  child.unref();
  if (log !== undefined) closeSync(log);
  return { failure: () => failure };
}

/** Undefined where there is no such folder, as at the first start. */
function openIfPossible(path: string): number | undefined {
  try {
    return openSync(path, 'w', 0o600);
  } catch {
    return undefined;
  }
}

const lastLine = (path: string): readonly string[] => readFileSync(path, 'utf8').trim().split('\n').slice(-1).filter(Boolean);

function introduce(socket: Socket, key: Buffer, hello: Hello): Promise<Socket> {
  const clientNonce = newNonce();
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    let proved = false;
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('error', onClose);
    };
    const refuse = (message: string): void => {
      stop();
      socket.destroy();
      reject(new BursarError('UNAUTHORIZED', message, { hint: 'Restart Bursar. If that does not help, another program of this user answers in its place.' }));
    };
    const onClose = (): void => refuse(proved ? 'Bursar did not accept this program.' : 'What listens at Bursar\'s address did not prove to be Bursar.');
    const timer = setTimeout(onClose, HANDSHAKE_MS);
    const onData = (chunk: Buffer): void => {
      held = Buffer.concat([held, chunk]);
      for (let end = held.indexOf(0x0a); end >= 0; end = held.indexOf(0x0a)) {
        const line = held.toString('utf8', 0, end);
        held = held.subarray(end + 1);
        if (proved) {
          stop();
          socket.pause();
          if (held.length > 0) socket.unshift(held);
          return resolve(socket);
        }
        const appNonce = verifyApp(line, key, clientNonce);
        if (appNonce === undefined) return onClose();
        proved = true;
        socket.write(`${introduction(key, clientNonce, appNonce, hello)}\n`);
      }
      if (held.length > HANDSHAKE_LINE_BYTES && !proved) onClose();
    };
    socket.on('data', onData).on('close', onClose).on('error', onClose);
    socket.write(`${opening(clientNonce)}\n`);
  });
}
