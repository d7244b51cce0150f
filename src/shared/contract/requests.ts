import { z } from 'zod';
import { DelegationAct } from './delegations.ts';
import { route } from './route.ts';
import { Empty, MoneyView, Timestamp } from './values.ts';

const Id = z.string().regex(/^req_[0-9a-f]{16}$/, 'name a request, such as req_0123456789abcdef');

export const RequestView = z.object({
  id: Id,
  /** The client that asks. */
  client: z.string(),
  /** False where the client may not ask for anything any more. */
  granted: z.boolean(),
  /** `setup`: an account to pay with. `approve`, `revoke`: an approval of spending on Solana, or its end. */
  kind: z.enum(['setup', 'approve', 'revoke']),
  /** What is asked, in a sentence of Bursar's. */
  text: z.string(),
  /** The agent's own words. */
  reason: z.string(),
  /** What it wants to be allowed to spend. */
  money: MoneyView.optional(),
  /** CAIP-2 id and mint; empty where no amount was asked for. */
  network: z.string(),
  asset: z.string(),
  owner: z.string(),
  delegate: z.string(),
  state: z.enum(['waiting', 'approved', 'rejected', 'expired']),
  outcome: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
export type RequestView = z.infer<typeof RequestView>;

/** What agents ask the owner to do. Nothing happens of it until the owner approves. */
export const requestRoutes = {
  /** Newest first. */
  'requests.list': route('read', Empty, z.object({ requests: z.array(RequestView) })),
  /**
   * Does what was asked. `setup` makes an account, named `label`. The other two carry out `act`: what `delegations.quote` showed to the owner for
   * this request, with the amount that the owner chose. Throws `NOT_FOUND`, `APPROVAL_STALE` once it is decided or too old, `FORBIDDEN` where its client
   * was revoked, `INPUT_INVALID` for an act that does not fit, and what `delegations.approve` throws.
   */
  'requests.approve': route(
    'owner',
    z.object({ id: Id, act: z.string().max(64).optional(), label: z.string().trim().min(1).max(40).optional() }),
    z.object({
      request: RequestView,
      /** `setup`: the address of the account that was made. */
      account: z.string().optional(),
      act: DelegationAct.optional(),
    }),
  ),
  /** The agent is told so when it asks again. Throws `NOT_FOUND`, `APPROVAL_STALE`. */
  'requests.reject': route('owner', z.object({ id: Id }), z.object({ request: RequestView })),
} as const;
