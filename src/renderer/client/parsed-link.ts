import { z } from './zod-without-eval.ts';
import { ROUTES, type Envelope, type RouteInput, type RouteName, type RouteOutput } from '../../shared/contract/contract.ts';
import { linkTexts } from '../texts/common.ts';
import { localFailure, type Link } from './link.ts';

/** The same link with every answer's value parsed by its route's schema; what does not fit becomes an error. */
export const parsedLink = (link: Link): Link => ({
  ...link,
  async request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<Envelope<RouteOutput<N>>> {
    const reply: Envelope<unknown> = await link.request(route, input);
    if (!reply.ok) return reply;
    const parsed = ROUTES[route].output.safeParse(reply.value);
    if (parsed.success) return { ok: true, value: parsed.data as RouteOutput<N> };
    return localFailure('unreadable', linkTexts.unreadable(route), z.prettifyError(parsed.error));
  },
});
