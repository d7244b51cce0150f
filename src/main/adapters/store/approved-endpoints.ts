import { DEFAULT_GROUP } from '../../../core/discovery/groups.ts';
import type { Clock } from '../../../core/ports.ts';
import type { Listing } from '../../../core/discovery/listing.ts';
import { toolName } from '../../../core/discovery/tool-name.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Db } from './database.ts';

/** An endpoint that the owner approved for a group of clients, as it was listed then. */
export interface ApprovedEndpoint {
  readonly id: number;
  readonly group: string;
  /** Under which its clients call it. Never another endpoint's in this group. */
  readonly tool: string;
  readonly listing: Listing;
  /** Why its clients get no schema of its arguments; empty where they do. */
  readonly schemaProblem: string;
  readonly approvedAt: number;
  readonly removedAt?: number;
  /** Removed for those as well who had it already. */
  readonly removedNow: boolean;
}


export interface ApprovedEndpoints {
  /** With the removed ones, in the order they were first approved. */
  all(): readonly ApprovedEndpoint[];
  /** Those in force for a group. */
  inForce(group: string): readonly ApprovedEndpoint[];
  /** True once it was removed for those as well who had it already. */
  isWithdrawn(id: number): boolean;
  /** Approves an endpoint, or approves it anew as it is listed now, under the name that it had. */
  approve(approval: Pick<ApprovedEndpoint, 'group' | 'listing' | 'schemaProblem'>): ApprovedEndpoint;
  /** Throws `NOT_FOUND`. `now` may follow where it was removed before. */
  remove(id: number, options: { readonly now: boolean }): ApprovedEndpoint;
  /** Clients that are in another group than the default one. */
  members(): readonly { readonly client: string; readonly group: string }[];
  groupOf(client: string): string;
  setGroup(client: string, group: string): void;
}

interface Row {
  readonly id: number;
  readonly group_name: string;
  readonly tool: string;
  readonly listing: string;
  readonly schema_problem: string;
  readonly approved_at: number;
  readonly removed_at: number | null;
  readonly removed_now: 0 | 1;
}

export function createApprovedEndpoints(db: Db, clock: Pick<Clock, 'now'>): ApprovedEndpoints {
  const all = db.prepare<[], Row>('SELECT * FROM approved_endpoints ORDER BY id');
  const inForce = db.prepare<[string], Row>('SELECT * FROM approved_endpoints WHERE group_name = ? AND removed_at IS NULL ORDER BY id');
  const byId = db.prepare<[number], Row>('SELECT * FROM approved_endpoints WHERE id = ?');
  const withdrawn = db.prepare<[number], 0 | 1>('SELECT removed_now FROM approved_endpoints WHERE id = ?').pluck();
  const byAddress = db.prepare<[string, string, string], Row>('SELECT * FROM approved_endpoints WHERE group_name = ? AND method = ? AND url = ?');
  const named = db.prepare<[string, string], number>('SELECT 1 FROM approved_endpoints WHERE group_name = ? AND tool = ?').pluck();
  const insert = db.prepare<[string, string, string, string, string, string, number]>(
    'INSERT INTO approved_endpoints (group_name, tool, method, url, listing, schema_problem, approved_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const renew = db.prepare<[string, string, number, number]>('UPDATE approved_endpoints SET listing = ?, schema_problem = ?, approved_at = ?, removed_at = NULL, removed_now = 0 WHERE id = ?');
  const remove = db.prepare<[number, number, number]>('UPDATE approved_endpoints SET removed_at = coalesce(removed_at, ?), removed_now = max(removed_now, ?) WHERE id = ?');
  const members = db.prepare<[], { client: string; group: string }>('SELECT client, group_name AS "group" FROM client_groups ORDER BY client');
  const groupOf = db.prepare<[string], string>('SELECT group_name FROM client_groups WHERE client = ?').pluck();
  const join = db.prepare<[string, string]>('INSERT INTO client_groups (client, group_name) VALUES (?, ?) ON CONFLICT (client) DO UPDATE SET group_name = excluded.group_name');
  const leave = db.prepare<[string]>('DELETE FROM client_groups WHERE client = ?');

  const require = (id: number | bigint): ApprovedEndpoint => {
    const row = byId.get(Number(id));
    if (!row) throw new BursarError('NOT_FOUND', `There is no approved endpoint ${id}.`, { context: { id: String(id) } });
    return endpointOfRow(row);
  };
  const approve = db.transaction(({ group, listing, schemaProblem }: Pick<ApprovedEndpoint, 'group' | 'listing' | 'schemaProblem'>): ApprovedEndpoint => {
    const { method, url } = listing;
    const known = byAddress.get(group, method, url);
    if (known) {
      renew.run(JSON.stringify(listing), schemaProblem, clock.now(), known.id);
      return require(known.id);
    }
    const tool = toolName(url, (name) => named.get(group, name) !== undefined);
    return require(insert.run(group, tool, method, url, JSON.stringify(listing), schemaProblem, clock.now()).lastInsertRowid);
  });

  return {
    all: () => all.all().map(endpointOfRow),
    inForce: (group) => inForce.all(group).map(endpointOfRow),
    isWithdrawn: (id) => withdrawn.get(id) === 1,
    approve,
    remove(id, { now }) {
      require(id);
      remove.run(clock.now(), now ? 1 : 0, id);
      return require(id);
    },
    members: () => members.all(),
    groupOf: (client) => groupOf.get(client) ?? DEFAULT_GROUP,
    setGroup(client, group) {
      if (group === DEFAULT_GROUP) leave.run(client);
      else join.run(client, group);
    },
  };
}

const endpointOfRow = (row: Row): ApprovedEndpoint => ({
  id: row.id,
  group: row.group_name,
  tool: row.tool,
  listing: JSON.parse(row.listing) as Listing,
  schemaProblem: row.schema_problem,
  approvedAt: row.approved_at,
  ...(row.removed_at !== null && { removedAt: row.removed_at }),
  removedNow: row.removed_now === 1,
});
