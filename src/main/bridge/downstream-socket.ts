import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Bridge } from './bridge.ts';
import type { ClientChannel } from './channel.ts';
import type { ClientSession } from './client-session.ts';
import { contained, reasonOf } from './contained.ts';
import { prepareEndpoint } from './endpoint.ts';
import { challengeAnswer, HANDSHAKE_LINE_BYTES, HANDSHAKE_MS, newNonce, readOpening, READY, verifyClient, type Hello } from './handshake.ts';
import { claimedName, unverifiedName } from '../../core/policy/unverified.ts';
import { clientOfToken, type ClientToken } from './http-gate.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { textAt } from './json-text.ts';
import { lineSplitter } from './lines.ts';
import { errorResponse, RPC_PARSE_ERROR } from './rpc-error.ts';
import { scanPayload } from './scan.ts';

/** How long a client that sends nothing more may wait for what it has asked. */
const LAST_ANSWERS_MS = 1_500;

/** Whether a connection of the command line changes settings or answers payments. */
export type ControlRole = Exclude<Hello['role'], 'mcp'>;

/** An authenticated connection of Bursar's own command line: one JSON message in each line, both ways. */
export interface ControlConnection {
  send(line: string): void;
  onLine(listener: (line: string) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}

export interface SocketListenerOptions {
  /** The data folder; the caller holds its lock. */
  readonly home: string;
  readonly bridge: Bridge;
  /** The tokens that are valid now. */
  readonly tokens: () => readonly ClientToken[];
  /** Whom the owner took the access from, and who wants to hear of what comes. */
  readonly access?: ClientAdmission;
  /** Gets each control connection. Register its listeners at once: nothing is kept back. */
  readonly onControl: (connection: ControlConnection, role: ControlRole) => void;
}

export interface ClientAdmission {
  /** Whether a client of this name may connect; a name that is only claimed has its mark. */
  admits(client: string): boolean;
  /** Told of each message of a client. */
  seen(client: string): void;
}

export interface SocketListener {
  readonly path: string;
  close(): Promise<void>;
}

/** Listens on the per-user socket for shims and the command line. */
export async function listenOnSocket({ home, bridge, tokens, access, onControl }: SocketListenerOptions): Promise<SocketListener> {
  const { path, key } = prepareEndpoint(home);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Reported by 'close' as well, where it is handled.
    socket.on('error', (error) => bridge.log.debug('a local connection broke', { reason: error.message }));
    greet(socket, key, bridge, (hello) => (hello.role === 'mcp' ? serveClient(socket, { upstream: hello.upstream, client: nameOf(hello, tokens()) }, bridge, access) : serveControl(socket, bridge, (connection) => onControl(connection, hello.role))));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.on('error', (error) => bridge.log.error('the local socket failed', { reason: error.message }));
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.end();
          setTimeout(() => socket.destroy(), 500).unref();
        }
      }),
  };
}

/** Runs the handshake and hands over a paused socket, with what came after the handshake put back. */
function greet(socket: Socket, key: Buffer, bridge: Bridge, onHello: (hello: Hello) => void): void {
  const appNonce = newNonce();
  let clientNonce: string | undefined;
  let held = Buffer.alloc(0);
  const timer = setTimeout(() => refuse('timeout'), HANDSHAKE_MS);

  const stop = (): void => {
    clearTimeout(timer);
    socket.off('data', onData).off('close', stop);
  };
  const refuse = (reason: string): void => {
    stop();
    bridge.log.warn('a local connection was refused', { reason });
    socket.destroy();
  };
  const onData = contained((chunk: Buffer): void => {
    held = Buffer.concat([held, chunk]);
    for (let end = held.indexOf(0x0a); end >= 0; end = held.indexOf(0x0a)) {
      const line = held.toString('utf8', 0, end);
      held = held.subarray(end + 1);
      if (clientNonce === undefined) {
        clientNonce = readOpening(line);
        if (clientNonce === undefined) return refuse('not the protocol of this Bursar');
        socket.write(`${challengeAnswer(key, clientNonce, appNonce)}\n`);
        continue;
      }
      const hello = verifyClient(line, key, clientNonce, appNonce);
      if (hello === undefined) return refuse('wrong secret');
      stop();
      socket.pause();
      if (held.length > 0) socket.unshift(held);
      socket.write(`${READY}\n`);
      return onHello(hello);
    }
    if (held.length > HANDSHAKE_LINE_BYTES) refuse('handshake too long');
  }, (error) => refuse(reasonOf(error)));
  socket.on('data', onData).on('close', stop);
}

/** Whose token it is; without a valid one the name that is claimed, marked as such: any program that may connect could claim it. */
const nameOf = ({ client, token }: McpHello, tokens: readonly ClientToken[]): string =>
  (token === undefined ? undefined : clientOfToken(token, tokens)) ?? unverifiedName(client);

type McpHello = Extract<Hello, { role: 'mcp' }>;

interface NamedClient {
  readonly upstream: string;
  readonly client: string;
}

function serveClient(socket: Socket, hello: NamedClient, bridge: Bridge, access?: ClientAdmission): void {
  if (access?.admits(hello.client) === false) {
    bridge.log.warn('a client whose access was taken away tried to connect', { client: hello.client });
    const error = new BursarError('FORBIDDEN', `The owner took the access of the client "${claimedName(hello.client)}" away.`, { context: { client: hello.client }, hint: 'Ask the owner to add it again.' });
    return refuseRequests(socket, bridge, error);
  }
  const channel = socketChannel(socket);
  const session = connect(bridge, hello, channel, socket);
  if (session === undefined) return;
  channel.onSlow = (slow) => session.setSlow(channel, slow);
  socket.on('data', contained(lineSplitter(bridge.limits.maxMessageBytes, {
    onLine: (line) => {
      access?.seen(hello.client);
      session.accept(line);
    },
    onTooLong: (idText = 'null') => {
      const limit = String(bridge.limits.maxMessageBytes);
      channel.write(errorResponse(idText, new BursarError('MESSAGE_TOO_LARGE', `The message has more than ${limit} bytes.`, { context: { limit } })));
      // Without its id, the end of the connection is what ends the wait for an answer.
      if (idText === 'null') socket.end();
    },
  }), (error) => {
    logDefect(bridge, error);
    channel.write(errorResponse('null', error));
    socket.destroySoon();
  }));
  socket.on('drain', () => session.setSlow(channel, false));
  // A client that only closed its writing side (a pipe of a script) still gets its answers.
  socket.on('end', () => void session.whenAnswered(LAST_ANSWERS_MS).then(() => socket.end()));
  socket.on('close', () => void session.close());
  socket.resume();
}

const logDefect = (bridge: Bridge, error: unknown): void => bridge.log.error('what came on a local connection could not be handled', { reason: reasonOf(error) });

/** Answers each request with the error, so that the client's user reads why. */
function refuseRequests(socket: Socket, bridge: Bridge, error: BursarError): void {
  const answer = (line: string): void => {
    try {
      const requests = scanPayload(line).messages.filter(({ kind }) => kind === 'request');
      for (const { fields: { id } } of requests) if (id !== undefined) socket.write(`${errorResponse(textAt(line, id), error)}\n`);
    } catch (broken) {
      socket.write(`${errorResponse('null', broken, RPC_PARSE_ERROR)}\n`);
    }
  };
  socket.on('data', lineSplitter(bridge.limits.maxMessageBytes, { onLine: answer, onTooLong: () => void socket.end() }));
  socket.on('end', () => socket.end());
  socket.resume();
}

function connect(bridge: Bridge, { client, upstream }: NamedClient, main: ClientChannel, socket: Socket): ClientSession | undefined {
  const onUpstreamPressure = (full: boolean): void => {
    if (full) socket.pause();
    else socket.resume();
  };
  try {
    return bridge.connect({ client, upstream, main, onUpstreamPressure, hangUp: () => socket.destroySoon() });
  } catch (error) {
    socket.end(`${errorResponse('null', error)}\n`);
    return undefined;
  }
}

interface SocketChannel extends ClientChannel {
  onSlow: (slow: boolean) => void;
}

function socketChannel(socket: Socket): SocketChannel {
  const channel: SocketChannel = {
    streams: true,
    onSlow: () => undefined,
    get open() {
      return socket.writable;
    },
    write(text, { done } = {}) {
      if (!socket.writable) return done?.(false);
      const flowing = socket.write(`${text}\n`, done === undefined ? undefined : (error) => done(error === undefined || error === null));
      if (!flowing) channel.onSlow(true);
    },
    end: () => undefined,
  };
  return channel;
}

function serveControl(socket: Socket, bridge: Bridge, onControl: (connection: ControlConnection) => void): void {
  let listener: (line: string) => void = () => undefined;
  onControl({
    send: (line) => void (socket.writable && socket.write(`${line}\n`)),
    onLine: (next) => {
      listener = next;
    },
    onClose: (next) => void socket.on('close', next),
    close: () => void socket.end(),
  });
  socket.on('data', contained(lineSplitter(bridge.limits.maxMessageBytes, { onLine: (line) => listener(line), onTooLong: () => socket.destroy() }), (error) => {
    logDefect(bridge, error);
    socket.destroy();
  }));
  socket.on('end', () => socket.end());
  socket.resume();
}
