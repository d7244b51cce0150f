import { useState } from 'react';
import type { RequestView } from '../../shared/contract/requests.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { requestTexts as texts } from '../texts/delegation.ts';
import { DelegationDialog, type DelegationOrder } from './pages/delegation-dialog.tsx';
import { useAnnounce } from './parts/announcer.tsx';
import { Button } from './parts/button.tsx';
import { Callout } from './parts/callout.tsx';
import { Untrusted } from './parts/texts.tsx';
import { useAct, useRead } from './server-state.tsx';

/** Requests that a page shows at once: an agent must not push everything else out of sight. */
const SHOWN = 3;

/** An order that the owner looks at, and the request that it answers, if any. */
interface Shown {
  readonly order: DelegationOrder;
  readonly requestId?: string;
}

/** What agents ask the owner to do. On every page, for the agent waits. */
export function RequestsNotice() {
  const waiting = (useRead('requests.list', {}).data?.requests ?? []).filter(({ state }) => state === 'waiting').toReversed();
  const [shown, setShown] = useState<Shown>();
  return (
    <>
      {waiting.length > 0 && (
        <Callout tone="info" role="status">
          <p className="font-semibold">{texts.title}</p>
          <ul className="divide-y divide-line">
            {waiting.slice(0, SHOWN).map((request) => (
              <li key={request.id} className="py-2">
                <Request request={request} onShow={setShown} />
              </li>
            ))}
          </ul>
          {waiting.length > SHOWN && <p className="text-sm">{texts.more(waiting.length - SHOWN)}</p>}
        </Callout>
      )}
      {shown && <DelegationDialog order={shown.order} {...(shown.requestId !== undefined && { requestId: shown.requestId })} onClose={() => setShown(undefined)} />}
    </>
  );
}

function Request({ request, onShow }: { readonly request: RequestView; readonly onShow: (shown: Shown) => void }) {
  const { id, client, text, reason, kind, granted } = request;
  const approve = useAct('requests.approve');
  const reject = useAct('requests.reject');
  const announce = useAnnounce();
  const error = approve.error ?? reject.error;

  async function make() {
    const { account = '' } = await approve.mutateAsync({ id });
    announce(texts.made(account));
    // What it may spend is a decision of its own, with its own terms.
    if (request.money) onShow({ order: { ...orderOf(request), delegate: account } });
  }

  return (
    <>
      <p className="wrap-anywhere">
        <Untrusted text={texts.asks(client)} className="text-muted" /> <Untrusted text={text} />
      </p>
      {reason !== '' && (
        <p className="max-h-24 overflow-auto text-sm text-muted">
          {texts.reason} <Untrusted text={reason} />
        </p>
      )}
      {!granted && <p className="text-sm text-warn">{texts.gone}</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button disabled={!granted || approve.isPending} onClick={() => (kind === 'setup' ? void make().catch(() => {}) : onShow({ order: orderOf(request), requestId: id }))}>
          {kind === 'setup' ? texts.make : texts.look}
        </Button>
        <Button disabled={reject.isPending} onClick={() => reject.mutate({ id }, { onSuccess: () => announce(texts.rejected) })}>
          {texts.reject}
        </Button>
      </div>
      {error && <p className="mt-2 text-danger">{error.message}</p>}
    </>
  );
}

const orderOf = ({ kind, owner, delegate, asset, network, money }: RequestView): DelegationOrder => ({
  kind: kind === 'revoke' ? 'revoke' : 'approve',
  delegate,
  token: asset,
  network,
  ...(owner !== '' && { owner }),
  ...(kind !== 'revoke' && money && { amount: formatUnits(BigInt(money.units), money.asset.decimals) }),
});
