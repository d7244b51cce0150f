import type { Account } from '../../core/ports.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { StoredDelegation } from '../adapters/store/delegations.ts';
import type { StoredRequest } from '../adapters/store/requests.ts';
import type { Delegations } from './delegations.ts';
import type { Requests } from './requests.ts';

export interface Answered {
  readonly request: StoredRequest;
  /** `setup`: the account that was made. */
  readonly account?: Account;
  readonly delegation?: StoredDelegation;
}

export interface AnswerPorts {
  readonly requests: Requests;
  readonly delegations: Pick<Delegations, 'quoted' | 'perform'>;
  /** Makes a Solana account. Throws `WALLET_LOCKED`. */
  readonly makeAccount: (label: string) => Promise<Account>;
  /** What was signed for an act. */
  readonly signed: (act: string) => StoredDelegation | undefined;
}

/** What the owner chose of it. */
export interface RequestAnswer {
  readonly id: string;
  /** What was quoted to the owner for it. */
  readonly act?: string | undefined;
  readonly label?: string | undefined;
}

const LABEL = 'Agent account';

export interface Answers {
  /** Carries a request out, once however often it is approved. Throws what `requests.approve` names. */
  approve(answer: RequestAnswer): Promise<Answered>;
  /** Throws `NOT_FOUND`, and `APPROVAL_STALE` also while it is carried out. */
  reject(id: string): StoredRequest;
}

/** What the owner says to requests. */
export function createAnswers({ requests, delegations, makeAccount, signed }: AnswerPorts): Answers {
  const answering = new Map<string, Promise<Answered>>();

  async function setUp({ id }: StoredRequest, label: string): Promise<Answered> {
    const account = await makeAccount(label);
    return { request: requests.approved(id, `The owner made the account ${account.address}.`, account.address), account };
  }

  async function delegate({ id, kind, params }: StoredRequest, act: string | undefined): Promise<Answered> {
    if (act === undefined) throw new BursarError('INPUT_INVALID', 'The request names no terms that you saw.', { hint: 'Look at the exact terms first: bursar request approve.' });
    const terms = signed(act) ?? delegations.quoted(act)?.terms;
    if (!terms) throw new BursarError('APPROVAL_STALE', 'What was shown is too old, or was never shown.', { hint: 'Nothing was signed. Look at it again.' });
    const fits = terms.kind === kind && terms.network === params.network && terms.asset === params.asset && (params.owner === '' || terms.owner === params.owner) && terms.delegate === params.delegate;
    if (!fits) throw new BursarError('INPUT_INVALID', 'What was shown is not what the request asks for.', { hint: 'Nothing was signed.' });
    const delegation = await delegations.perform(delegations.quoted(act)?.kind ?? kind, act);
    if (delegation.state === 'dead') throw new BursarError('SETTLEMENT_FAILED', `The transaction ${delegation.transaction} did not come about. ${delegation.why}`.trim(), { hint: 'Nothing changed. The request still waits.' });
    const what = kind === 'approve' ? 'approved it' : 'took the approval back';
    return { request: requests.approved(id, `The owner ${what}, by the transaction ${delegation.transaction}.`), delegation };
  }

  return {
    approve({ id, act, label = LABEL }) {
      const found = answering.get(id);
      if (found) return found;
      const work = async (): Promise<Answered> => {
        const request = requests.requireWaiting(id);
        return request.kind === 'setup' ? setUp(request, label) : delegate(request, act);
      };
      const working = work().finally(() => answering.delete(id));
      answering.set(id, working);
      return working;
    },
    reject(id) {
      if (answering.has(id)) throw new BursarError('APPROVAL_STALE', `The request ${id} is being carried out.`, { hint: 'What was signed can be taken back: bursar delegation revoke.' });
      return requests.reject(id);
    },
  };
}
