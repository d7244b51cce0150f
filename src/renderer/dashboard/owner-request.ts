import type { Carrier, Envelope, RouteInput, RouteName, RouteOutput } from '../../shared/contract/contract.ts';

/**
 * Makes a request; where main answers that only the owner may, or that the keys are locked, calls `askOwner` and repeats the
 * request once. `askOwner` resolves to false when the owner gave up; the first answer stands then.
 */
export async function requestAsOwner<N extends RouteName>(
  carrier: Pick<Carrier, 'request'>,
  askOwner: () => Promise<boolean>,
  route: N,
  input: RouteInput<N>,
): Promise<Envelope<RouteOutput<N>>> {
  const first = await carrier.request(route, input);
  if (first.ok || (first.error.code !== 'OWNER_REQUIRED' && first.error.code !== 'WALLET_LOCKED')) return first;
  return (await askOwner()) ? carrier.request(route, input) : first;
}
