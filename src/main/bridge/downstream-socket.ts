import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { AGGREGATE } from './aggregate/names.ts';
import type { Bridge } from './bridge.ts';
import type { ClientChannel } from './channel.ts';
import type { ClientSession } from './client-session.ts';
import { contained, reasonOf } from './contained.ts';
import { prepareEndpoint } from './endpoint.ts';
import { challengeAnswer, HANDSHAKE_LINE_BYTES, HANDSHAKE_MS, newNonce, readOpening, READY, verifyClient, type Hello } from './handshake.ts';
import { claimedName, unverifiedName } from '../../core/policy/unverified.ts';
import { callerOf, type ClientCaller, type ClientToken } from './http-gate.ts';
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
    greet(socket, key, bridge, (hello) => (hello.role === 'mcp' ? serveClient({ socket, hello, bridge, tokens, access }) : serveControl(socket, bridge, (connection) => onControl(connection, hello.role))));
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

type McpHello = Extract<Hello, { role: 'mcp' }>;

/**
 * Who connects, with all that its token is limited to. Without a token it is the name that is claimed, marked as such: any program that may connect could
 * claim it. A token that is not valid here is an error, because an entry whose key was replaced would otherwise go on as somebody else.
 */
function whoIs({ upstream, client, token }: McpHello, tokens: readonly ClientToken[]): ClientCaller | BursarError {
  if (token === undefined) return { client: unverifiedName(client) };
  const caller = callerOf(token, upstream === AGGREGATE ? '/mcp' : `/mcp/${encodeURIComponent(upstream)}`, tokens);
  if (!('status' in caller)) return caller;
  if (caller.error === 'insufficient_scope') return new BursarError('SCOPE_MISSING', caller.reason);
  return new BursarError('UNAUTHORIZED', 'The token that this client brings to Bursar is not valid here, or not any more.', { hint: 'Ask the owner for a new key, and put it where the client starts Bursar (BURSAR_CLIENT_TOKEN).' });
}

interface ClientConnection {
  readonly socket: Socket;
  readonly hello: McpHello;
  readonly bridge: Bridge;
  readonly tokens: () => readonly ClientToken[];
  readonly access: ClientAdmission | undefined;
}

function serveClient({ socket, hello, bridge, tokens, access }: ClientConnection): void {
  const caller = whoIs(hello, tokens());
  const client = caller instanceof BursarError ? unverifiedName(hello.client) : caller.client;
  if (access?.admits(client) === false) {
    bridge.log.warn('a client whose access was taken away tried to connect', { client });
    const error = new BursarError('FORBIDDEN', `The owner took the access of the client "${claimedName(client)}" away.`, { context: { client }, hint: 'Ask the owner to add it again.' });
    return refuseRequests(socket, bridge, error);
  }
  if (caller instanceof BursarError) {
    bridge.log.warn('a client came with a token that is not valid', { client, upstream: hello.upstream });
    return refuseRequests(socket, bridge, caller);
  }
  const channel = socketChannel(socket);
  // The connection stays: a client that was only hung up on would read that Bursar went away, and not why.
  let ended: BursarError | undefined;
  const end = (reason: BursarError): void => {
    ended = reason;
    channel.shut();
    socket.resume();
  };
  const session = connect({ bridge, caller, upstream: hello.upstream, main: channel, socket, hangUp: end });
  if (session === undefined) return;
  channel.onSlow = (slow) => session.setSlow(channel, slow);
  // The end of a key is told at once; a token with limits also ends by itself.
  const isOver = (): boolean => caller.scopes !== undefined && whoIs(hello, tokens()) instanceof BursarError;
  socket.on('data', contained(lineSplitter(bridge.limits.maxMessageBytes, {
    onLine: (line) => {
      if (ended === undefined && isOver()) {
        const reason = new BursarError('UNAUTHORIZED', 'The token that this client brought to Bursar has ended.', { hint: 'Start the connection again with a new token.' });
        session.expel(reason);
        end(reason);
      }
      if (ended !== undefined) return answerRequests(socket, line, ended);
      access?.seen(client);
      session.accept(line);
    },
    onTooLong: (idText = 'null') => {
      if (ended !== undefined) return void socket.write(`${errorResponse(idText, ended)}\n`);
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

/** Answers each request of the connection with the error. */
function refuseRequests(socket: Socket, bridge: Bridge, error: BursarError): void {
  socket.on('data', lineSplitter(bridge.limits.maxMessageBytes, { onLine: (line) => answerRequests(socket, line, error), onTooLong: () => void socket.end() }));
  socket.on('end', () => socket.end());
  socket.resume();
}

/** Answers each request of a line with the error, so that the client's user reads why. */
function answerRequests(socket: Socket, line: string, error: BursarError): void {
  try {
    const requests = scanPayload(line).messages.filter(({ kind }) => kind === 'request');
    for (const { fields: { id } } of requests) if (id !== undefined) socket.write(`${errorResponse(textAt(line, id), error)}\n`);
  } catch (broken) {
    socket.write(`${errorResponse('null', broken, RPC_PARSE_ERROR)}\n`);
  }
}

interface Connecting {
  readonly bridge: Bridge;
  readonly caller: ClientCaller;
  readonly upstream: string;
  readonly main: ClientChannel;
  readonly socket: Socket;
  readonly hangUp: (reason: BursarError) => void;
}

function connect({ bridge, caller, socket, ...request }: Connecting): ClientSession | undefined {
  const onUpstreamPressure = (full: boolean): void => {
    if (full) socket.pause();
    else socket.resume();
  };
  try {
    return bridge.connect({ ...caller, ...request, onUpstreamPressure });
  } catch (error) {
    socket.end(`${errorResponse('null', error)}\n`);
    return undefined;
  }
}

interface SocketChannel extends ClientChannel {
  onSlow: (slow: boolean) => void;
  /** Carries nothing more of the session: what is still delivered counts as not delivered. */
  shut(): void;
}

function socketChannel(socket: Socket): SocketChannel {
  let shut = false;
  const channel: SocketChannel = {
    streams: true,
    onSlow: () => undefined,
    get open() {
      return !shut && socket.writable;
    },
    write(text, { done } = {}) {
      if (!channel.open) return done?.(false);
      const flowing = socket.write(`${text}\n`, done === undefined ? undefined : (error) => done(error === undefined || error === null));
      if (!flowing) channel.onSlow(true);
    },
    shut() {
      shut = true;
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
