import type { Carrier, Envelope, RouteInput, RouteName, RouteOutput } from '../../shared/contract/contract.ts';
import type { ProvenRoute } from '../../shared/contract/presence.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';

/** The two ways to ask the owner; each resolves to false when they gave up. */
export interface AskingOwner {
  /** For the passphrase, or for a first one where none is set. */
  readonly askOwner: () => Promise<boolean>;
  /** For proof that they are there, for this very act. */
  readonly askPresence: (act: { readonly route: ProvenRoute; readonly input: unknown }) => Promise<boolean>;
}

/**
 * Makes a request; where main answers that only the owner may, that the keys are locked, or that it takes proof of presence, asks for it and
 * repeats the request, once for each reason. Where the owner gives up, main's last answer stands.
 */
export async function requestAsOwner<N extends RouteName>(
  carrier: Pick<Carrier, 'request'>,
  { askOwner, askPresence }: AskingOwner,
  route: N,
  input: RouteInput<N>,
): Promise<Envelope<RouteOutput<N>>> {
  const asked = new Set<ErrorCode>();
  for (;;) {
    const reply = await carrier.request(route, input);
    if (reply.ok || asked.has(reply.error.code)) return reply;
    const { code } = reply.error;
    asked.add(code);
    if (code === 'OWNER_REQUIRED' || code === 'WALLET_LOCKED') {
      if (!(await askOwner())) return reply;
    } else if (code === 'PRESENCE_REQUIRED') {
      // Main takes proof for no other routes.
      if (!(await askPresence({ route: route as ProvenRoute, input }))) return reply;
    } else return reply;
  }
}
