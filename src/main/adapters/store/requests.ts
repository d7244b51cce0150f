import type { Db } from './database.ts';

export type RequestKind = 'setup' | 'approve' | 'revoke';
export type RequestState = 'waiting' | 'approved' | 'rejected' | 'expired';

/** What an agent asks the owner to do. Empty where it said nothing. */
export interface RequestParams {
  /** Whole tokens, as the agent wrote them. */
  readonly amount: string;
  /** CAIP-2 id and mint; whose token account and who spends from it. */
  readonly network: string;
  readonly asset: string;
  readonly owner: string;
  readonly delegate: string;
  /** The agent's own words. */
  readonly reason: string;
}

export interface StoredRequest {
  readonly id: string;
  readonly client: string;
  readonly kind: RequestKind;
  readonly params: RequestParams;
  readonly state: RequestState;
  /** What came of it, in a sentence. */
  readonly outcome: string;
  /** Address of the account that was made for it; empty where none was. */
  readonly account: string;
  /** The client knows what was decided. */
  readonly told: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt?: number;
}

export interface RequestStore {
  add(request: Pick<StoredRequest, 'id' | 'client' | 'kind' | 'params' | 'createdAt' | 'expiresAt'>): void;
  get(id: string): StoredRequest | undefined;
  /** Newest first. */
  list(limit: number): readonly StoredRequest[];
  waiting(): readonly StoredRequest[];
  /** The newest of a client that asks for the same. */
  newest(client: string, kind: RequestKind, params: RequestParams): StoredRequest | undefined;
  /** The newest of a client that was decided and that it does not know of yet; approved ones first. */
  untold(client: string, kind: RequestKind): StoredRequest | undefined;
  /** Addresses of all accounts that were made for requests. */
  accounts(): readonly string[];
  decide(id: string, decision: { readonly state: Exclude<RequestState, 'waiting'>; readonly outcome: string; readonly account: string; readonly at: number }): void;
  /** The client knows of it now, and where nothing was done, of all that ended likewise. */
  tell(request: StoredRequest): void;
  /** Ends what waited for too long; gives how many that were. */
  expire(now: number): number;
  /** Forgets what was decided before `until`; but not which accounts were made. */
  forget(until: number): void;
}

type Row = Omit<StoredRequest, 'params' | 'told' | 'decidedAt'> & { readonly params: string; readonly told: number; readonly decidedAt: number | null };

const COLUMNS = 'id, client, kind, params, state, outcome, account, told, created_at AS createdAt, expires_at AS expiresAt, decided_at AS decidedAt';

export function createRequestStore(db: Db): RequestStore {
  const insert = db.prepare<[string, string, RequestKind, string, string, number, number]>(`INSERT INTO requests (id, client, kind, asked, params, state, created_at, expires_at) VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)`);
  const one = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM requests WHERE id = ?`);
  const all = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM requests ORDER BY seq DESC LIMIT ?`);
  const waiting = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM requests WHERE state = 'waiting' ORDER BY seq`);
  const newest = db.prepare<[string, RequestKind, string], Row>(`SELECT ${COLUMNS} FROM requests WHERE client = ? AND kind = ? AND asked = ? ORDER BY seq DESC LIMIT 1`);
  const decide = db.prepare<[RequestState, string, string, number, string]>(`UPDATE requests SET state = ?, outcome = ?, account = ?, decided_at = ? WHERE id = ? AND state = 'waiting'`);
  const untold = db.prepare<[string, RequestKind], Row>(`SELECT ${COLUMNS} FROM requests WHERE client = ? AND kind = ? AND state <> 'waiting' AND told = 0 ORDER BY state = 'approved' DESC, seq DESC LIMIT 1`);
  const accounts = db.prepare<[], string>(`SELECT account FROM requests WHERE account <> '' ORDER BY seq`).pluck();
  const tell = db.prepare<[string]>('UPDATE requests SET told = 1 WHERE id = ?');
  const tellAll = db.prepare<[string, RequestKind, RequestState]>('UPDATE requests SET told = 1 WHERE client = ? AND kind = ? AND state = ?');
  const expire = db.prepare<[number, number]>(`UPDATE requests SET state = 'expired', outcome = 'Nobody decided in time.', decided_at = ? WHERE state = 'waiting' AND expires_at <= ?`);
  const forget = db.prepare<[number]>(`DELETE FROM requests WHERE decided_at < ? AND account = ''`);
  return {
    add: ({ id, client, kind, params, createdAt, expiresAt }) => void insert.run(id, client, kind, asked(params), JSON.stringify(params), createdAt, expiresAt),
    get(id) {
      const row = one.get(id);
      return row && requestOf(row);
    },
    list: (limit) => all.all(limit).map(requestOf),
    waiting: () => waiting.all().map(requestOf),
    newest(client, kind, params) {
      const row = newest.get(client, kind, asked(params));
      return row && requestOf(row);
    },
    untold(client, kind) {
      const row = untold.get(client, kind);
      return row && requestOf(row);
    },
    accounts: () => accounts.all(),
    decide: (id, { state, outcome, account, at }) => void decide.run(state, outcome, account, at, id),
    tell: ({ id, client, kind, state }) => void (state === 'approved' ? tell.run(id) : tellAll.run(client, kind, state)),
    expire: (now) => expire.run(now, now).changes,
    forget: (until) => void forget.run(until),
  };
}

/** Equal requests have equal texts, whatever reasons are given. */
const asked = ({ amount, network, asset, owner, delegate }: RequestParams): string => JSON.stringify([amount, network, asset, owner, delegate]);

const requestOf = ({ params, told, decidedAt, ...row }: Row): StoredRequest => ({ ...row, params: JSON.parse(params) as RequestParams, told: told === 1, ...(decidedAt !== null && { decidedAt }) });
