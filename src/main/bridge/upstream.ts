import type { HttpFacts } from '../../core/challenges/answer.ts';
import type { BursarError } from '../../shared/errors/errors.ts';
import type { Exchange } from './exchange.ts';
import type { PayloadScan } from './scan.ts';

/** How a server is reached. Secrets among env and headers are resolved by whoever makes the spec. */
export type UpstreamTransport =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string }
  | { readonly kind: 'http'; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** One server that the owner has put behind the bridge. */
export interface UpstreamSpec {
  readonly name: string;
  readonly transport: UpstreamTransport;
  /** Who keeps the tokens of an HTTP server; without it what is configured is all that is sent. */
  readonly authorization?: UpstreamAuthorization;
}

/** How requests to one server are authorized, by whoever holds its tokens. The bridge only carries the header. */
export interface UpstreamAuthorization {
  /** Value of `authorization` for the next request; undefined sends what is configured. Throws what the caller has to hear. */
  header(): string | undefined | Promise<string | undefined>;
  /** Hears that the server refused a request. True where the same request may be sent once more. Throws what the caller has to hear. */
  refused(refusal: AuthorizationRefusal): Promise<boolean>;
}

/** An HTTP 401 or 403. */
export interface AuthorizationRefusal {
  readonly status: number;
  /** Values of `www-authenticate`, one a header. */
  readonly challenges: readonly string[];
  /** The value that {@link UpstreamAuthorization.header} gave for the refused request. */
  readonly sent: string | undefined;
}

/** One message on its way to the server. */
export interface Outgoing {
  /** One JSON-RPC payload in one line. */
  readonly text: string;
  /** The text's parts, where they are known already. */
  readonly scan?: PayloadScan;
  /** What it belongs to: handed back with everything that arrives on the same HTTP stream. A stdio server cannot tell. */
  readonly exchange: Exchange;
  /** HTTP headers that carry a payment. They take the place of configured ones: the server has named the header that it reads. */
  readonly proof?: Readonly<Record<string, string>>;
  /** It says otherwise than the message that the exchange's headers were written for, so it gets headers of its own. */
  readonly headersAnew?: boolean;
  /** The exchange that this message calls off. */
  readonly cancels?: Exchange;
  /** It carries a payment, so it must not be sent a second time by itself (I1). */
  readonly paid?: boolean;
  /** Does anybody still wait for an answer to it? */
  readonly awaited?: () => boolean;
  /** Which of the two messages that open a session of the older protocol this is, if any. */
  readonly handshake?: 'initialize' | 'initialized';
}

/** What else is known of one HTTP request. */
export interface SendMore {
  /** Another address of the same server. */
  readonly to?: URL;
  readonly proof?: Outgoing['proof'];
  /** It carries a payment: it is sent once, whatever the answer. */
  readonly paid?: boolean;
}

/** The head of the HTTP answer that a payload came in. */
export type AnswerHead = Pick<HttpFacts, 'status' | 'headers'>;

/** What a link to a server reports. After `onDown` it reports nothing more. */
export interface UpstreamEvents {
  /** A payload from the server, with the head of its HTTP answer where it has one. */
  onMessage(text: string, exchange?: Exchange, head?: AnswerHead): void;
  /** The answer to the request of this raw id came and could not be taken. */
  onAnswerLost(idText: string, error: BursarError): void;
  /** The HTTP exchange is over; requests in it that were not answered never will be. `refusal` where HTTP said no. */
  onExchangeEnd(exchange: Exchange, error?: BursarError, refusal?: HttpFacts): void;
  /** The server closed the stream of an exchange before its answer, and will go on when it is asked again. */
  onStreamPaused(exchange: Exchange): void;
  /** The server does not know the link's session any more. True where the message is sent again over a new one. */
  onSessionGone(message: Outgoing): boolean;
  /** The whole link is gone. */
  onDown(error: BursarError): void;
  /** The server takes in messages slower (true) or again as fast as they come (false). */
  onPressure(full: boolean): void;
}

/** What a session hears of its link: new sessions of the server are not its business. */
export type SessionEvents = Omit<UpstreamEvents, 'onSessionGone'>;

/** One live link to a server: one child process, or one HTTP session. It belongs to one downstream session. */
export interface Upstream {
  send(message: Outgoing): void;
  /** Stops or resumes reading from the server, so that a slow client slows it down. */
  setPaused(paused: boolean): void;
  /** Ends the link once what was asked over it has its answers; nothing new is sent over it. Resolves when it is gone. */
  retire(): Promise<void>;
  /** Ends the link; resolves when the process or session is gone. Does not report `onDown`. */
  close(): Promise<void>;
}
