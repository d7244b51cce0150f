import { useState } from 'react';
import type { ApprovedEndpointView } from '../../../shared/contract/discovery.ts';
import { layoutTexts } from '../../texts/dashboard.ts';
import { discoverTexts as texts } from '../../texts/discover.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';
import { ListedPrices } from './listed-prices.tsx';

/** The endpoints that agents have as tools, or have until their sessions end. */
export function ApprovedCard() {
  const approved = useRead('discovery.approved', {});
  const [removing, setRemoving] = useState<ApprovedEndpointView>();
  return (
    <Card title={texts.approved}>
      <Loaded query={approved}>
        {(value) => {
          const shown = value.approved.filter(({ removedNow }) => !removedNow);
          if (shown.length === 0) return <Empty title={texts.approvedNone} hint={texts.approvedNoneHint} />;
          return (
            <ul className="divide-y divide-line">
              {shown.map((endpoint) => (
                <li key={endpoint.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
                  <div className="min-w-0 grow basis-52">
                    <p>
                      <Untrusted text={endpoint.tool} className="font-mono font-medium" /> <span className="text-sm text-muted">{texts.inGroup(endpoint.group)}</span>
                    </p>
                    <p className="text-sm text-muted">
                      <span className="font-mono">{endpoint.method} </span>
                      <Untrusted text={endpoint.url} className="font-mono" />
                    </p>
                    <p className="text-sm">
                      <ListedPrices prices={endpoint.prices} />
                    </p>
                    {endpoint.removedAt !== undefined && <p className="text-sm text-warn">{texts.endsLater}</p>}
                  </div>
                  <Button aria-label={texts.removeNamed(endpoint.tool)} onClick={() => setRemoving(endpoint)}>
                    {texts.remove}
                  </Button>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <Dialog open={removing !== undefined} title={removing ? texts.removeTitle(removing.tool) : ''} onClose={() => setRemoving(undefined)}>
        {removing && <Removal endpoint={removing} onClose={() => setRemoving(undefined)} />}
      </Dialog>
    </Card>
  );
}

function Removal({ endpoint: { id, tool, removedAt }, onClose }: { readonly endpoint: ApprovedEndpointView; readonly onClose: () => void }) {
  const remove = useAct('discovery.remove');
  const announce = useAnnounce();
  const press = (now: boolean) =>
    remove.mutate(
      { id, now },
      {
        onSuccess() {
          announce(texts.removed(tool));
          onClose();
        },
      },
    );
  return (
    <div className="grid gap-4">
      <p>{texts.removeNote}</p>
      {remove.error && <ErrorCallout error={remove.error.info} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{layoutTexts.cancel}</Button>
        {removedAt === undefined && (
          <Button disabled={remove.isPending} onClick={() => press(false)}>
            {texts.removeLater}
          </Button>
        )}
        <Button kind="primary" disabled={remove.isPending} onClick={() => press(true)}>
          {remove.isPending ? texts.removing : texts.removeNow}
        </Button>
      </div>
    </div>
  );
}
