import type { Envelope, Event, RouteInput, RouteName, RouteOutput } from '../../shared/contract/contract.ts';
import { linkTexts } from '../texts/common.ts';
import { isEnvelope, isRecord, isTopic, localFailure, type Link, type LinkState } from './link.ts';

/** What the Electron preload exposes as `window.bursar`. */
export interface Bridge {
  request(route: string, input: unknown): Promise<unknown>;
  subscribe(listener: (event: unknown) => void): () => void;
}

const OPEN: LinkState = { phase: 'open', attempts: 0 };

/** The link of a page inside Electron: main lives as long as the page does, so it is always open. */
export function openBridgeLink(bridge: Bridge): Link {
  return {
    state: () => OPEN,
    onState: () => () => undefined,
    async request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<Envelope<RouteOutput<N>>> {
      try {
        const reply = await bridge.request(route, input);
        if (isEnvelope(reply)) return reply as Envelope<RouteOutput<N>>;
      } catch (error) {
        return localFailure('no-answer', linkTexts.noAnswer(route), error instanceof Error ? error.message : String(error));
      }
      return localFailure('unreadable', linkTexts.unreadable(route), linkTexts.unreadableHint);
    },
    subscribe(listener: (event: Event) => void) {
      return bridge.subscribe((event) => {
        if (isRecord(event) && isTopic(event['topic'])) listener({ topic: event['topic'] });
      });
    },
  };
}
