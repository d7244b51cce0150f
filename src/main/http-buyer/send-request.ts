import { request as sendPlain, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as sendSecure } from 'node:https';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { gatherBytes } from '../gather.ts';
import { guardedLookup, requirePublicLiteral, type Resolve } from './address-guard.ts';
import type { RawAnswer } from './http-answer.ts';
import type { CheckedRequest } from './http-request.ts';

const CONNECT_MS = 10_000;
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_HEADERS = 100;
const MAX_HEADER_BYTES = 64 * 1024;

const DECODERS = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) } as const;

export interface SendOptions {
  /** True where the host may be on this machine or in a private network. */
  readonly anyAddress: boolean;
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
  /** How long the answer may be; 10 MiB by default. */
  readonly maxBytes?: number;
}

/**
 * Sends one request and reads the whole answer. A redirect is an answer like any other: nothing is ever sent to another address than the
 * one that was asked for, least of all a proof. Throws `ADDRESS_FORBIDDEN`, `UPSTREAM_UNREACHABLE`, `MESSAGE_TOO_LARGE`, `UPSTREAM_REFUSED`.
 */
export async function sendRequest({ url, method, headers, body }: CheckedRequest, { anyAddress, resolve, signal, maxBytes = MAX_ANSWER_BYTES }: SendOptions): Promise<RawAnswer> {
  if (!anyAddress) requirePublicLiteral(url.hostname);
  const options: RequestOptions = {
    method,
    headers: { accept: '*/*', ...headers, 'accept-encoding': 'gzip, deflate, br', ...(body && { 'content-length': String(body.length) }) },
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    lookup: guardedLookup(resolve, { anyAddress }),
  };
  try {
    const response = await answerTo((url.protocol === 'https:' ? sendSecure : sendPlain)(url, options), body);
    const read = await readAll(response, url.host, maxBytes);
    return { status: response.statusCode ?? 0, headers: response.headersDistinct, body: await decoded(read, response, url.host, maxBytes) };
  } catch (error) {
    if (isBursarError(error)) throw error;
    if (signal.aborted && isBursarError(signal.reason)) throw signal.reason;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const reason = signal.aborted ? 'it took too long' : code || (error instanceof Error ? error.message : String(error));
    throw new BursarError('UPSTREAM_UNREACHABLE', `The host ${url.host} could not be reached (${reason}).`, { context: { host: url.host, reason }, cause: error });
  }
}

function answerTo(outgoing: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const connecting = setTimeout(() => outgoing.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })), CONNECT_MS);
    outgoing.once('socket', (socket) => socket.once('connect', () => clearTimeout(connecting)));
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.once('close', () => {
      clearTimeout(connecting);
      // A server that wants to speak another protocol (101) is hung up on without an error.
      reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' }));
    });
    outgoing.end(body);
  });
}

async function readAll(response: IncomingMessage, host: string, maxBytes: number): Promise<Buffer> {
  if (response.rawHeaders.length / 2 > MAX_HEADERS) {
    response.destroy();
    throw new BursarError('UPSTREAM_REFUSED', `The host ${host} answered with more than ${MAX_HEADERS} headers.`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      response.destroy();
      throw tooLarge(host, maxBytes);
    }
    gatherBytes(chunks, chunk);
  }
  return Buffer.concat(chunks);
}

/** The body without its content coding; what cannot be decoded stays as it came. */
async function decoded(body: Buffer, response: IncomingMessage, host: string, maxBytes: number): Promise<Buffer> {
  const coding = response.headers['content-encoding']?.toLowerCase() ?? '';
  const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding as keyof typeof DECODERS] : undefined;
  if (!decode || body.length === 0) return body;
  try {
    const plain = await decode(body, { maxOutputLength: maxBytes });
    // The headers must describe the body that is handed over.
    delete response.headersDistinct['content-encoding'];
    delete response.headersDistinct['content-length'];
    return plain;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(host, maxBytes);
    return body;
  }
}

const tooLarge = (host: string, maxBytes: number) =>
  new BursarError('MESSAGE_TOO_LARGE', `The host ${host} sent an answer of more than ${maxBytes} bytes.`, { context: { host, limit: String(maxBytes) } });
