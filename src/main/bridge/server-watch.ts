import type { BursarError } from '../../shared/errors/errors.ts';
import type { Upstream, UpstreamEvents, UpstreamSpec } from './upstream.ts';

/** Hears how links to servers come and go. Its texts are a server's own words, and may hold secrets: whoever keeps them cleans them. */
export interface ServerWatch {
  /** A process or session of the server is being started. */
  opened(spec: UpstreamSpec): LinkWatch;
  /** A server that ended is started again after so long, without being asked. */
  restarts(upstream: string, inMs: number): void;
}

/** One process or session. */
export interface LinkWatch {
  /** Gives back what may be shown of it. */
  stderr(line: string): string;
  /** A request got no answer. */
  failed(error: BursarError): void;
  /** The link is gone; without an error it was meant to. */
  ended(error?: BursarError): void;
}

/** An HTTP answer that asks for money is no failure. */
const PAYMENT_REQUIRED = 402;

/** Opens a link whose end and failures the watch hears, and then whoever uses the link. */
export function watchedLink(watch: LinkWatch, events: UpstreamEvents, open: (events: UpstreamEvents) => Upstream): Upstream {
  let over = false;
  const ended = (error?: BursarError): void => {
    if (over) return;
    over = true;
    watch.ended(error);
  };
  const link = open({
    ...events,
    onDown(error) {
      ended(error);
      events.onDown(error);
    },
    onExchangeEnd(exchange, error, refusal) {
      if (error !== undefined && refusal?.status !== PAYMENT_REQUIRED) watch.failed(error);
      events.onExchangeEnd(exchange, error, refusal);
    },
    onAnswerLost(idText, error) {
      watch.failed(error);
      events.onAnswerLost(idText, error);
    },
  });
  return {
    ...link,
    async retire() {
      await link.retire();
      ended();
    },
    async close() {
      await link.close();
      ended();
    },
  };
}
