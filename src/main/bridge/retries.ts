import type { BursarError } from '../../shared/errors/errors.ts';
import type { Exchange, OpenRequest } from './exchange.ts';
import type { RetryEdit } from './payment-hook.ts';
import { idKey } from './request-id.ts';
import type { MessageScan } from './scan.ts';
import { retryText, withId } from './tool-call.ts';
import type { Upstream } from './upstream.ts';

interface Retry {
  readonly exchange: Exchange;
  readonly resolve: (answer: string) => void;
  readonly reject: (reason: unknown) => void;
}

/** The calls that the payment side sends a second time: under ids of Bursar's own, out of the client's sight. */
export class Retries {
  readonly #link: Pick<Upstream, 'send'>;
  readonly #open = new Map<string, Retry>();

  constructor(link: Pick<Upstream, 'send'>) {
    this.#link = link;
  }

  /** See `CallIo.retry`. What else comes in the retry's HTTP stream goes where the first call's went. */
  send(request: OpenRequest, edit: RetryEdit, signal?: AbortSignal): Promise<string> {
    const { text, idText } = retryText(request.toolCallText ?? '', edit);
    const key = keyOf(idText);
    const { channel } = request.exchange;
    const exchange: Exchange = { channel, unanswered: new Set() };
    return new Promise<string>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = (): void => {
        if (!this.#open.delete(key)) return;
        const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${idText}}}`;
        this.#link.send({ text: notice, exchange: { channel, unanswered: new Set() } });
        reject(signal?.reason);
      };
      const finish = (act: () => void): void => {
        signal?.removeEventListener('abort', cancel);
        act();
      };
      this.#open.set(key, {
        exchange,
        resolve: (answer) => finish(() => resolve(withId(answer, request.idText))),
        reject: (reason) => finish(() => reject(reason)),
      });
      signal?.addEventListener('abort', cancel, { once: true });
      this.#link.send({ text, exchange, ...(edit.headers === undefined ? {} : { headers: edit.headers }) });
    });
  }

  /** Takes the message if it answers a retry. */
  settle(text: string, { kind, fields }: MessageScan): boolean {
    if (this.#open.size === 0 || kind !== 'response' || fields.id === undefined) return false;
    const key = idKey(text, fields.id);
    const retry = this.#open.get(key);
    if (retry === undefined) return false;
    this.#open.delete(key);
    retry.resolve(text);
    return true;
  }

  /** Does this exchange carry a retry that has no answer yet? */
  owns(exchange: Exchange | undefined): boolean {
    return [...this.#open.values()].some((retry) => retry.exchange === exchange);
  }

  /** The answer under this id key came and could not be taken. False if no retry waits for it. */
  failOne(key: string, error: BursarError): boolean {
    const retry = this.#open.get(key);
    this.#open.delete(key);
    retry?.reject(error);
    return retry !== undefined;
  }

  /** No answer can come any more: in one exchange, or in any. */
  fail(error: BursarError, exchange?: Exchange): void {
    for (const [key, retry] of this.#open) {
      if (exchange !== undefined && retry.exchange !== exchange) continue;
      this.#open.delete(key);
      retry.reject(error);
    }
  }
}

const keyOf = (idText: string): string => idKey(idText, { start: 0, end: idText.length });
