import type { SendQuote } from '../../../../shared/contract/sends.ts';
import type { ErrorInfo } from '../../../../shared/errors/errors.ts';
import { useAct } from '../../server-state.tsx';
import { asQuoted, doneByLink, linkRequestOf, requestOf, type DoneView, type SendDraft } from './send-draft.ts';

/** A send on its way through main, whichever routes its recipient needs. */
interface Sending {
  readonly quote: SendQuote | undefined;
  readonly quoteError: ErrorInfo | undefined;
  readonly isQuoting: boolean;
  readonly done: DoneView | undefined;
  readonly sendError: ErrorInfo | undefined;
  readonly ask: (onQuoted: () => void) => void;
  /** Sends what was quoted; nothing without a quote. */
  readonly send: (onEnd: (end: 'sent' | 'failed') => void) => void;
}

/** Quotes and sends what the draft says: to a contact or an address, or by a link. */
export function useSend(draft: SendDraft): Sending {
  const direct = { quote: useAct('sends.quote'), send: useAct('sends.send') };
  const byLink = { quote: useAct('escrows.quote'), send: useAct('escrows.send') };
  const linkRequest = linkRequestOf(draft);
  const { quote, send } = linkRequest ? byLink : direct;
  return {
    quote: quote.data,
    quoteError: quote.error?.info,
    isQuoting: quote.isPending,
    done: linkRequest ? byLink.send.data && doneByLink(byLink.send.data) : direct.send.data,
    sendError: send.error?.info,
    ask(onQuoted) {
      send.reset();
      const then = { onSuccess: onQuoted };
      if (linkRequest) byLink.quote.mutate(linkRequest, then);
      else direct.quote.mutate(requestOf(draft), then);
    },
    send(onEnd) {
      if (!quote.data) return;
      const then = { onSuccess: () => onEnd('sent'), onError: () => onEnd('failed') };
      if (linkRequest) byLink.send.mutate(asQuoted(linkRequest, quote.data), then);
      else direct.send.mutate(asQuoted(requestOf(draft), quote.data), then);
    },
  };
}
