import type { Assets } from '../../../core/registry/assets.ts';
import type { RequestView } from '../../../shared/contract/requests.ts';
import type { StoredRequest } from '../../adapters/store/requests.ts';
import type { Answers } from '../../wallet/answer-request.ts';
import type { Requests } from '../../wallet/requests.ts';
import { actView, requestView } from '../delegation-views.ts';
import type { Handlers } from '../router.ts';

export interface RequestDeps {
  readonly requests: Pick<Requests, 'list' | 'isGranted'>;
  readonly answers: Answers;
  /** Every token that a row was ever made with. */
  readonly assets: Assets;
}

export const requestHandlers = ({ requests, answers, assets }: RequestDeps): Pick<Handlers, 'requests.list' | 'requests.approve' | 'requests.reject'> => {
  const view = (request: StoredRequest): RequestView => requestView(request, { granted: requests.isGranted(request), assets });
  return {
    'requests.list': () => ({ requests: requests.list().map(view) }),
    'requests.approve': async (given) => {
      const { request, account, delegation } = await answers.approve(given);
      return { request: view(request), ...(account && { account: account.address }), ...(delegation && { act: actView(delegation, assets) }) };
    },
    'requests.reject': ({ id }) => ({ request: view(answers.reject(id)) }),
  };
};
