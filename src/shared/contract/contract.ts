import { z } from 'zod';
import type { ErrorInfo } from '../errors/errors.ts';
import { accountRoutes } from './accounts.ts';
import { activityRoutes } from './activity.ts';
import { appRoutes } from './app.ts';
import { approvalRoutes } from './approvals.ts';
import { clientAccessRoutes } from './client-access.ts';
import { clientRoutes } from './clients.ts';
import { contactRoutes } from './contacts.ts';
import { desktopRoutes } from './desktop.ts';
import { delegationRoutes } from './delegations.ts';
import { discoveryRoutes } from './discovery.ts';
import { escrowRoutes } from './escrows.ts';
import { ledgerRoutes } from './ledger.ts';
import { onboardingRoutes } from './onboarding.ts';
import { ownerRoutes } from './owner.ts';
import { paymentRoutes } from './payments.ts';
import { policyRoutes } from './policy.ts';
import { presenceRoutes } from './presence.ts';
import { requestRoutes } from './requests.ts';
import type { Route } from './route.ts';
import { secretRoutes } from './secrets.ts';
import { sendRoutes } from './sends.ts';
import { standingRuleRoutes } from './standing-rules.ts';
import { upstreamStateRoutes } from './upstream-state.ts';
import { settingsRoutes } from './settings.ts';
import { upstreamRoutes } from './upstreams.ts';

/** Every request that a page or the command line can make of the main process. From it main, both carriers and the tests derive. */
export const ROUTES = {
  ...appRoutes,
  ...accountRoutes,
  ...approvalRoutes,
  ...standingRuleRoutes,
  ...paymentRoutes,
  ...policyRoutes,
  ...ledgerRoutes,
  ...activityRoutes,
  ...upstreamRoutes,
  ...upstreamStateRoutes,
  ...clientRoutes,
  ...clientAccessRoutes,
  ...contactRoutes,
  ...sendRoutes,
  ...delegationRoutes,
  ...requestRoutes,
  ...escrowRoutes,
  ...ownerRoutes,
  ...presenceRoutes,
  ...desktopRoutes,
  ...secretRoutes,
  ...discoveryRoutes,
  ...settingsRoutes,
  ...onboardingRoutes,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
export type RouteInput<N extends RouteName> = z.input<(typeof ROUTES)[N]['input']>;
export type ParsedRouteInput<N extends RouteName> = z.output<(typeof ROUTES)[N]['input']>;
export type RouteOutput<N extends RouteName> = z.output<(typeof ROUTES)[N]['output']>;

/** What crosses a carrier in answer to a request: a value or an error, never a rejected promise. */
export type Envelope<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorInfo };

/**
 * What main tells the pages. An event names what became stale; the page reads it again through its route.
 * Events carry no data of their own, so that a missed one costs a delay and never a wrong figure.
 */
export const Event = z.object({ topic: z.enum(['app', 'accounts', 'approvals', 'payments', 'policy', 'upstreams', 'clients', 'contacts', 'escrows', 'delegations', 'requests', 'owner', 'discovery', 'activity', 'settings']) });
export type Event = z.infer<typeof Event>;
export type Topic = Event['topic'];

/** The two calls that every carrier (Electron IPC, WebSocket, control socket) offers a caller. */
export interface Carrier {
  request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<Envelope<RouteOutput<N>>>;
  /** Calls back on every event, and once with every topic after a lost connection came back. Returns the way to stop. */
  subscribe(listener: (event: Event) => void): () => void;
}

/** One line of the WebSocket and control-socket carriers. */
export const RequestFrame = z.object({ id: z.number().int().nonnegative(), route: z.string().max(64), input: z.unknown() });
export type RequestFrame = z.infer<typeof RequestFrame>;
export type ServerFrame = { readonly id: number; readonly reply: Envelope<unknown> } | { readonly event: Event };
