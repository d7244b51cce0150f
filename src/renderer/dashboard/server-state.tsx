import { QueryClient, useMutation, useQuery, useQueryClient, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { RouteInput, RouteName, RouteOutput, Topic } from '../../shared/contract/contract.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import { isTopic, type Link, type LinkState } from '../client/link.ts';
import { useAskOwner } from './owner-gate.tsx';
import { requestAsOwner } from './owner-request.ts';
import { useAskPresence } from './presence-gate.tsx';

/** An error envelope as an exception, for the query library. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly info: ErrorInfo;

  constructor(info: ErrorInfo) {
    super(info.message);
    this.info = info;
  }
}

const LinkContext = createContext<Link | undefined>(undefined);

/** Gives the link to everything below. */
export const LinkProvider = LinkContext.Provider;

/** The page's link. */
export function useLink(): Link {
  const link = useContext(LinkContext);
  if (!link) throw new Error('no link above this component');
  return link;
}

/** Whether main can be reached, live. */
export function useLinkState(): LinkState {
  const link = useLink();
  return useSyncExternalStore(link.onState, link.state);
}

/** What is read stays fresh until an event names it; nothing depends on the machine being online. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** Routes that show something of another domain than their own name says. */
const ALSO: Partial<Record<Topic, readonly RouteName[]>> = {
  policy: ['presence.get', 'payments.spend', 'payments.spending', 'activity.list', 'approvals.inFull'],
  contacts: ['approvals.inFull'],
  owner: ['approvals.inFull', 'escrows.list', 'escrows.settings', 'app.status', 'presence.get', 'accounts.list', 'upstreams.list', 'contacts.list', 'ledger.status'],
  app: ['ledger.status', 'activity.list'],
  approvals: ['payments.list', 'payments.find', 'payments.totals', 'payments.spend', 'payments.spending'],
  upstreams: ['payments.spend'],
  payments: ['delegations.list'],
  accounts: ['seeds.list', 'delegations.list'],
  clients: ['requests.list'],
  settings: ['onboarding.get', 'facilitators.list', 'desktop.get', 'ledger.status', 'app.status'],
};

/** The topic of routes that are not called like it. */
const TOPIC_OF: Readonly<Partial<Record<string, Topic>>> = { ledger: 'app', onboarding: 'settings', networks: 'settings', facilitators: 'settings', desktop: 'settings' };

/** True when an event of that topic makes the route's answer stale. */
export const isTouchedBy = (topic: Topic, route: string): boolean => route.startsWith(`${topic}.`) || (ALSO[topic]?.some((other) => other === route) ?? false);

const invalidate = (client: QueryClient, topics: readonly Topic[]): Promise<void> =>
  client.invalidateQueries({ predicate: ({ queryKey }) => topics.some((topic) => isTouchedBy(topic, String(queryKey[0]))) });

/** Events are gathered for so long (ms): a busy agent makes many a second, and main bounds what a page may ask. */
const GATHER = 300;

/** Reads again what events make stale. */
export function useEventInvalidation(link: Link, client: QueryClient): void {
  useEffect(() => {
    const stale = new Set<Topic>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      timer = undefined;
      void invalidate(client, [...stale]);
      stale.clear();
    };
    const stop = link.subscribe(({ topic }) => {
      stale.add(topic);
      timer ??= setTimeout(flush, GATHER);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [link, client]);
}

/** One request whose failure is thrown. */
export async function read<N extends RouteName>(link: Link, route: N, input: RouteInput<N>): Promise<RouteOutput<N>> {
  const reply = await link.request(route, input);
  if (reply.ok) return reply.value;
  throw new RequestError(reply.error);
}

/** The answer of a reading route, kept current by events. */
export function useRead<N extends RouteName>(route: N, input: RouteInput<N>): UseQueryResult<RouteOutput<N>, RequestError> {
  const link = useLink();
  return useQuery<RouteOutput<N>, RequestError>({ queryKey: [route, input], queryFn: () => read(link, route, input) });
}

/**
 * A request that changes something. Where main wants its owner, or proof that they are there, asks for it and repeats it once. What was asked and answered is
 * forgotten with the component that asked: it may be a passphrase or a key.
 */
export function useAct<N extends RouteName>(route: N): UseMutationResult<RouteOutput<N>, RequestError, RouteInput<N>> {
  const link = useLink();
  const askOwner = useAskOwner();
  const askPresence = useAskPresence();
  const client = useQueryClient();
  return useMutation<RouteOutput<N>, RequestError, RouteInput<N>>({
    gcTime: 0,
    async mutationFn(input) {
      const reply = await requestAsOwner(link, { askOwner, askPresence }, route, input);
      if (reply.ok) return reply.value;
      throw new RequestError(reply.error);
    },
    // Who just acted should not look at the old state until main's event comes, least of all where a newer one was in the way.
    onSettled() {
      const prefix = route.split('.', 1)[0] ?? '';
      const topic = TOPIC_OF[prefix] ?? prefix;
      if (isTopic(topic)) void invalidate(client, [topic]);
    },
  });
}
