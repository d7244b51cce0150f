import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { BursarError } from '../../shared/errors/errors.ts';
import type { LaunchCommand } from './endpoint.ts';
import { textAt } from './json-text.ts';
import { byteLineSplitter, idAtAnEnd, lineSplitter } from './lines.ts';
import { idKey } from './request-id.ts';
import { errorResponse } from './rpc-error.ts';
import { scanPayload } from './scan.ts';
import { connectToApp } from './shim-connection.ts';

/** A line longer than this is passed on like any other but not remembered; the app has its own, configurable limit. */
const REMEMBERED_LINE_BYTES = 1024 * 1024 * 1024;
const START_MS = 20_000;
const LONG_LINE_BYTES = 4096;
const END_BYTES = 1024;
/** What a message is, by the first of its members that is neither version nor id. */
const FIRST_MEMBER = /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|-?\d+|null)\s*,\s*)*"(method|result|error)"/;
const ASCII = /^[\x20-\x7e]*$/;

export interface ShimOptions {
  readonly home: string;
  /** Empty for all servers at once. */
  readonly upstream: string;
  /** The registered client that this shim was installed for. */
  readonly client: string;
  /** Proves it; without one the client counts as unverified, and with one that is not valid it is refused. */
  readonly token?: string | undefined;
  /** Starts the app where it has left no word how. */
  readonly launch: LaunchCommand;
  readonly startMs?: number;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
}

/**
 * The stdio end of a client's connection: pipes bytes between the client and the app, and nothing else. Where the app
 * cannot be reached, or goes away, every request of the client is answered with an error. Resolves with the exit code
 * once the client has closed its side.
 */
export async function runShim({ home, upstream, client, token, launch, startMs = START_MS, stdin = process.stdin, stdout = process.stdout, stderr = process.stderr }: ShimOptions): Promise<number> {
  let socket: Socket;
  try {
    socket = await connectToApp({ home, hello: { role: 'mcp', upstream, client, ...(token && { token }) }, launch, startMs });
  } catch (error) {
    const reason = error instanceof BursarError ? error : new BursarError('INTERNAL', error instanceof Error ? error.message : String(error));
    stderr.write(`bursar: ${reason.message} ${reason.hint}\n`);
    await refuseEverything(stdin, stdout, reason);
    return 1;
  }
  const open = openRequests();
  const left = await pipe(stdin, stdout, socket, open);
  if (left) return 0;
  const reason = new BursarError('UPSTREAM_UNREACHABLE', 'Bursar went away while this client was connected.', { hint: 'Start Bursar, then reconnect this server in the client.' });
  stderr.write(`bursar: ${reason.message} ${reason.hint}\n`);
  // What the app was writing when it went is of no use, but must not run into what follows.
  if (open.midAnswer()) stdout.write('\n');
  for (const idText of open.ids()) stdout.write(`${errorResponse(idText, reason)}\n`);
  await refuseEverything(stdin, stdout, reason, open.partLine());
  return 1;
}

/** Resolves true when the client left, false when the app did. */
function pipe(stdin: Readable, stdout: Writable, socket: Socket, open: OpenRequests): Promise<boolean> {
  return new Promise((resolve) => {
    let left = false;
    const onInput = (chunk: Buffer): void => {
      if (!socket.write(chunk)) stdin.pause();
      open.fromClient(chunk);
    };
    const onEnd = (): void => {
      left = true;
      socket.end();
    };
    const onOutput = (chunk: Buffer): void => {
      if (!stdout.write(chunk)) socket.pause();
      open.fromApp(chunk);
    };
    const resumeSocket = (): void => void socket.resume();
    const finish = (): void => {
      stdin.off('data', onInput).off('end', onEnd);
      stdout.off('drain', resumeSocket).off('error', onGone);
      resolve(left);
    };
    // The client does not read any more: as good as gone.
    const onGone = (): void => {
      left = true;
      socket.destroy();
    };
    stdin.on('data', onInput).on('end', onEnd);
    stdout.on('drain', resumeSocket).on('error', onGone);
    socket.on('data', onOutput).on('drain', () => stdin.resume());
    socket.on('end', () => socket.end());
    socket.on('error', () => socket.destroy());
    socket.on('close', finish);
    socket.resume();
  });
}

/** Answers each request with the error until the client closes its side. */
function refuseEverything(stdin: Readable, stdout: Writable, reason: BursarError, begun: Buffer = Buffer.alloc(0)): Promise<void> {
  const split = lineSplitter(REMEMBERED_LINE_BYTES, {
    onLine: (line) => {
      for (const idText of idsIn(line, 'request')) stdout.write(`${errorResponse(idText, reason)}\n`);
    },
    onTooLong: () => undefined,
  });
  split(begun);
  return new Promise((resolve) => {
    if (stdin.readableEnded) return resolve();
    stdout.on('error', () => resolve());
    stdin.on('data', split).on('end', () => resolve());
    stdin.resume();
  });
}

interface OpenRequests {
  fromClient(chunk: Buffer): void;
  fromApp(chunk: Buffer): void;
  /** Raw ids of the requests without an answer. */
  ids(): string[];
  /** What the client has sent of a line that is not complete. */
  partLine(): Buffer;
  /** Did the app stop within a line? */
  midAnswer(): boolean;
}

/** Remembers, beside the piping, which requests are open. */
function openRequests(): OpenRequests {
  const open = new Map<string, string>();
  let part: Buffer[] = [];
  let lastByte = 0x0a;
  const keyOf = (idText: string): string => idKey(idText, { start: 0, end: idText.length });
  const requests = byteLineSplitter(REMEMBERED_LINE_BYTES, {
    onLine: (line) => {
      for (const idText of idsOf(line, 'request')) open.set(keyOf(idText), idText);
    },
    onTooLong: () => undefined,
  });
  const answers = byteLineSplitter(REMEMBERED_LINE_BYTES, {
    onLine: (line) => {
      for (const idText of idsOf(line, 'response')) open.delete(keyOf(idText));
    },
    onTooLong: () => undefined,
  });
  return {
    fromClient(chunk) {
      requests(chunk);
      const newline = chunk.lastIndexOf(0x0a);
      if (newline < 0) part.push(chunk);
      else part = [chunk.subarray(newline + 1)];
    },
    fromApp(chunk) {
      answers(chunk);
      lastByte = chunk.at(-1) ?? lastByte;
    },
    ids: () => [...open.values()],
    partLine: () => Buffer.concat(part),
    midAnswer: () => lastByte !== 0x0a,
  };
}

/** Of a long line only the ends are read where they tell all, as every common implementation writes them. */
function idsOf(line: Buffer, kind: 'request' | 'response'): string[] {
  if (line.length > LONG_LINE_BYTES) {
    const head = line.toString('latin1', 0, END_BYTES);
    const idText = idAtAnEnd(head, line.toString('latin1', line.length - END_BYTES));
    const first = FIRST_MEMBER.exec(head)?.[1];
    if (first !== undefined && idText !== undefined && ASCII.test(idText)) return (first === 'method') === (kind === 'request') ? [idText] : [];
  }
  return idsIn(line.toString('utf8'), kind);
}

function idsIn(line: string, kind: 'request' | 'response'): string[] {
  try {
    return scanPayload(line).messages.flatMap((message) => (message.kind === kind && message.fields.id !== undefined ? [textAt(line, message.fields.id)] : []));
  } catch {
    // Not JSON; whoever it is for says so.
    return [];
  }
}
