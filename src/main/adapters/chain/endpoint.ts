import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import { createPost } from './post.ts';

/** One of several questions that are asked at once. */
export interface Question<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly shape: z.ZodType<T>;
}

/** One JSON-RPC server of a network. */
export interface Endpoint {
  /** Host alone: the rest of an RPC address often holds an API key. */
  readonly host: string;
  /** Tells its operator from others; a port does not. */
  readonly hostname: string;
  /** Asks once, within the time limit. Throws `CHAIN_UNREACHABLE` for whatever keeps it from an answer of the wanted shape. */
  ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  /**
   * Asks all of them in one request, or one by one where the server takes no batch. Undefined stands for what it refused or answered in another
   * form. Throws `CHAIN_UNREACHABLE` where it does not answer at all.
   */
  askAll<T>(questions: readonly Question<T>[], signal: AbortSignal): Promise<readonly (T | undefined)[]>;
  close(): void;
}

const envelope = z.object({ result: z.unknown().optional(), error: z.object({ code: z.number(), message: z.string() }).nullish() });
const batch = z.array(envelope.extend({ id: z.number() }));

/** Creates an endpoint. Throws `INPUT_INVALID` for an address that is not http(s). */
export function createEndpoint(address: string, timeoutMs: number): Endpoint {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new BursarError('INPUT_INVALID', 'An RPC address has to be an http or https URL.');
  }
  const { host, hostname } = new URL(address);
  const { post, close } = createPost(address);
  let lastId = 0;
  let takesBatches = true;

  const failed = (why: string, method: string) => new BursarError('CHAIN_UNREACHABLE', `The RPC server ${host} ${why}.`, { context: { rpc: host, method } });
  const send = (method: string, message: unknown, signal: AbortSignal): Promise<string> =>
    post(JSON.stringify(message), AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])).catch((error: Error) => {
      throw failed(error.message, method);
    });

  async function ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const answer = envelope.safeParse(parse(await send(method, { jsonrpc: '2.0', id: ++lastId, method, params }, signal)));
    if (!answer.success) throw failed(`answered ${method} with something that is not JSON-RPC`, method);
    const { error, result } = answer.data;
    if (error) throw failed(`refused ${method}: ${error.message.slice(0, 200)} (${error.code})`, method);
    const read = shape.safeParse(result);
    if (!read.success) throw failed(`answered ${method} in a form that is not known`, method);
    return read.data;
  }

  return {
    ask,
    async askAll(questions, signal) {
      const [first] = questions;
      if (!first) return [];
      if (takesBatches && questions.length > 1) {
        const numbered = questions.map((question) => ({ ...question, id: ++lastId }));
        const text = await send(first.method, numbered.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params })), signal);
        const answers = batch.safeParse(parse(text));
        if (answers.success) {
          const byId = new Map(answers.data.map((answer) => [answer.id, answer]));
          return numbered.map(({ id, shape }) => {
            const read = shape.safeParse(byId.get(id)?.result);
            return read.success ? read.data : undefined;
          });
        }
        takesBatches = false;
      }
      const all = await Promise.allSettled(questions.map(({ method, params, shape }) => ask(method, params, shape, signal)));
      const failure = all.find((one) => one.status === 'rejected');
      if (failure && all.every((one) => one.status === 'rejected')) throw failure.reason;
      return all.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    },
    host,
    hostname,
    close,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
