/** Options of one write to the client. */
export interface WriteOptions {
  /** No further message belongs to this channel's exchange: an HTTP answer is complete with it. */
  readonly last?: boolean;
  /** HTTP status that the upstream gave with the message, where it was not 2xx. */
  readonly status?: number;
  /** Told once whether the message left for the client. */
  readonly done?: (written: boolean) => void;
}

/** A way to the client: a socket, the answer to one POST, or the stream of one GET. */
export interface ClientChannel {
  /** False once nothing can reach the client on this channel (any more). */
  readonly open: boolean;
  /** Can it carry messages other than the answers it waits for? */
  readonly streams: boolean;
  /** Writes one payload that lies on one line. */
  write(text: string, options?: WriteOptions): void;
  /** What was awaited on this channel will not come (the client cancelled it). */
  end(): void;
  /** The server has closed its stream and wants to be asked again later; so may the client, where it can. */
  pause?(): void;
}

export interface ExchangeChannelOptions extends Omit<ClientChannel, 'open'> {
  readonly isOpen: () => boolean;
}

/**
 * The channel of one exchange. A class, because every object literal with a getter gets a hidden class of its own, which keeps what the
 * getter sees until the next full garbage collection.
 */
export class ExchangeChannel implements ClientChannel {
  readonly streams: boolean;
  readonly write: ClientChannel['write'];
  readonly end: ClientChannel['end'];
  readonly pause: () => void;
  readonly #isOpen: () => boolean;

  constructor({ isOpen, streams, write, end, pause = () => undefined }: ExchangeChannelOptions) {
    this.#isOpen = isOpen;
    this.streams = streams;
    this.write = write;
    this.end = end;
    this.pause = pause;
  }

  get open(): boolean {
    return this.#isOpen();
  }
}

/** A channel that leads nowhere: for messages that Bursar itself sends. */
export const NOWHERE: ClientChannel = {
  open: false,
  streams: false,
  write: (_text, options) => options?.done?.(false),
  end: () => undefined,
};
