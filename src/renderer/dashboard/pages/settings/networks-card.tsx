import { useState } from 'react';
import type { NetworkSetting, SettingsView } from '../../../../shared/contract/settings.ts';
import { networkTexts as texts } from '../../../texts/settings.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaucetLinks } from '../../parts/faucet-links.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct } from '../../server-state.tsx';
import { NetworkForm } from './network-dialog.tsx';

/** The networks of this kind of money: those that are enabled, and folded those that are not. */
export function NetworksCard({ settings: { networks, networksChange } }: { readonly settings: SettingsView }) {
  const [changing, setChanging] = useState<string>();
  const enabled = networks.filter((network) => network.enabled);
  const others = networks.filter((network) => !network.enabled);
  const changed = networks.find(({ network }) => network === changing);
  const close = () => setChanging(undefined);
  return (
    <Card title={texts.title}>
      <p className="-mt-2 mb-3 text-sm text-muted">{networksChange ? texts.note : texts.sandbox}</p>
      {enabled.length === 0 && <p className="text-warn">{texts.none}</p>}
      <ul className="divide-y divide-line">
        {enabled.map((network) => (
          <Row key={network.network} network={network} changes={networksChange} onChange={() => setChanging(network.network)} />
        ))}
      </ul>
      {others.length > 0 && networksChange && (
        <details className="mt-3 border-t border-line pt-3">
          <summary className="cursor-pointer text-muted">{texts.others(others.length)}</summary>
          <ul className="mt-2 grid gap-1">
            {others.map(({ network, name }) => (
              <li key={network} className="flex flex-wrap items-center justify-between gap-2 py-1">
                <span className="min-w-0">
                  {name} <Untrusted text={network} className="font-mono text-sm text-muted" />
                </span>
                <Button aria-label={texts.enableOne(name)} onClick={() => setChanging(network)}>
                  {texts.enable}
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Dialog form="wide" open={changed !== undefined} title={changed ? texts.dialog(changed.name) : ''} onClose={close}>
        {changed && <NetworkForm network={changed} onClose={close} />}
      </Dialog>
    </Card>
  );
}

function Row({ network: { network, name, rpcUrls, builtIn, faucets }, changes, onChange }: { readonly network: NetworkSetting; readonly changes: boolean; readonly onChange: () => void }) {
  const disable = useAct('networks.disable');
  const announce = useAnnounce();
  const isOwn = rpcUrls.join(' ') !== builtIn.join(' ');
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="font-medium">{name}</h3>
          <p className="text-sm text-muted">
            {texts.servers(rpcUrls.length)}
            {changes && `, ${isOwn ? texts.own : texts.builtIn}`}
          </p>
        </div>
        {changes && (
          <div className="flex flex-wrap gap-2">
            <Button aria-label={texts.changeOne(name)} onClick={onChange}>
              {texts.change}
            </Button>
            <Button kind="quiet" aria-label={texts.disableOne(name)} disabled={disable.isPending} onClick={() => disable.mutate({ network }, { onSuccess: () => announce(texts.disabled(name)) })}>
              {texts.disable}
            </Button>
          </div>
        )}
      </div>
      <ul className="mt-1 grid gap-0.5">
        {rpcUrls.map((url) => (
          <li key={url}>
            <Untrusted text={url} className="font-mono text-sm text-muted" />
          </li>
        ))}
      </ul>
      {faucets.length > 0 && (
        <p className="mt-2 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
          <span className="text-muted">{texts.faucets}</span>
          <FaucetLinks faucets={faucets} />
        </p>
      )}
      {disable.error && (
        <div className="mt-3">
          <ErrorCallout error={disable.error.info} />
        </div>
      )}
    </li>
  );
}
