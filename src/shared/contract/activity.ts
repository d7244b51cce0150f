import { z } from 'zod';
import { route } from './route.ts';
import { Timestamp } from './values.ts';

/** Something that was done beside payments: to the policy, the ledger, clients, servers, accounts, keys and settings. */
export const ActivityEntry = z.object({
  /** Unlike that of every other entry. */
  id: z.string(),
  at: Timestamp,
  /** Who, in words: `owner, dashboard`. */
  author: z.string(),
  /** The route that did it, or `policy.version` and `ledger.accepted`. */
  act: z.string(),
  /** What it was done to: a name, a version, what was found. May be empty. */
  subject: z.string(),
  /** Empty where it was done; else the code of why it was not. */
  outcome: z.string(),
});
export type ActivityEntry = z.infer<typeof ActivityEntry>;

export const activityRoutes = {
  /** Newest first. */
  'activity.list': route(
    'read',
    z.object({ offset: z.number().int().nonnegative().max(1_000_000).default(0), limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ entries: z.array(ActivityEntry), more: z.boolean() }),
  ),
} as const;
