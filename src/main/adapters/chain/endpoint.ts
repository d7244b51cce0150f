import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import { createPost } from './post.ts';

/** One JSON-RPC server of a network. */
export interface Endpoint {
  /** Host alone: the rest of an RPC address often holds an API key. */
  readonly host: string;
  /** Tells its operator from others; a port does not. */
  readonly hostname: string;
  /** Asks once, within the time limit. Throws `CHAIN_UNREACHABLE` for whatever keeps it from an answer of the wanted shape. */
  ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  close(): void;
}

const envelope = z.object({ result: z.unknown().optional(), error: z.object({ code: z.number(), message: z.string() }).nullish() });

/** Creates an endpoint. Throws `INPUT_INVALID` for an address that is not http(s). */
export function createEndpoint(address: string, timeoutMs: number): Endpoint {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new BursarError('INPUT_INVALID', 'An RPC address has to be an http or https URL.');
  }
  const { host, hostname } = new URL(address);
  const { post, close } = createPost(address);
  let lastId = 0;

  return {
    host,
    hostname,
    close,
    async ask(method, params, shape, signal) {
      const failed = (why: string) => new BursarError('CHAIN_UNREACHABLE', `The RPC server ${host} ${why}.`, { context: { rpc: host, method } });
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });
      const text = await post(body, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])).catch((error: Error) => {
        throw failed(error.message);
      });
      const answer = envelope.safeParse(parse(text));
      if (!answer.success) throw failed(`answered ${method} with something that is not JSON-RPC`);
      const { error, result } = answer.data;
      if (error) throw failed(`refused ${method}: ${error.message.slice(0, 200)} (${error.code})`);
      const read = shape.safeParse(result);
      if (!read.success) throw failed(`answered ${method} in a form that is not known`);
      return read.data;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
