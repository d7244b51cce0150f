import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

const DECODERS: Readonly<Record<string, () => Duplex>> = { gzip: createUnzip, 'x-gzip': createUnzip, deflate: createUnzip, br: createBrotliDecompress };

/**
 * The body of an answer without its content coding (RFC 9110, section 8.4.1), for servers that send one although none was asked for. It is decoded
 * as it is read, so a limit on what is read bounds what is decoded. An unknown coding is left as it is.
 */
export function decodedBody(response: IncomingMessage): Readable {
  const coding = response.headers['content-encoding'];
  const decoder = coding === undefined ? undefined : DECODERS[coding.trim().toLowerCase()];
  // Whoever reads hears of the error as the decoder's.
  return decoder === undefined ? response : pipeline(response, decoder(), () => undefined);
}
