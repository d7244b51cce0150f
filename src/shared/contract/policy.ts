import { z } from 'zod';
import { Policy } from '../policy/policy.ts';
import { route } from './route.ts';
import { Empty, Timestamp } from './values.ts';

export const PolicyVersionView = z.object({ number: z.number().int(), savedAt: Timestamp, author: z.string(), policy: Policy });
export type PolicyVersionView = z.infer<typeof PolicyVersionView>;

export const policyRoutes = {
  'policy.get': route('read', Empty, PolicyVersionView),
  /** Stores a new version. `basedOn` is the number that the editor started from; a newer one throws `APPROVAL_STALE`. */
  'policy.set': route('owner', z.object({ basedOn: z.number().int(), policy: Policy }), PolicyVersionView),
} as const;
