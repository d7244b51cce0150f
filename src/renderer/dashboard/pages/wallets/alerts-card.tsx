import { useState } from 'react';
import { assetId } from '../../../../shared/money/asset-id.ts';
import { DecimalText, type AssetView } from '../../../../shared/contract/values.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card, Empty, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';

/** The tokens of which the owner hears when little is left. */
export function AlertsCard() {
  const alerts = useRead('accounts.alerts', {});
  const set = useAct('accounts.setAlert');
  const announce = useAnnounce();
  const [adding, setAdding] = useState(false);
  const end = (asset: AssetView) => set.mutate({ asset: assetId(asset) }, { onSuccess: () => announce(texts.alertEnded) });
  return (
    <Card title={texts.alerts} aside={<Button onClick={() => setAdding(true)}>{texts.addAlert}</Button>}>
      <p className="-mt-1 mb-3 text-sm text-muted">{texts.alertsNote}</p>
      {set.error && (
        <div className="mb-3">
          <ErrorCallout error={set.error.info} />
        </div>
      )}
      <Loaded query={alerts} lines={1}>
        {(value) =>
          value.alerts.length === 0 ? (
            <p className="text-muted">{texts.noAlerts}</p>
          ) : (
            <ul className="divide-y divide-line">
              {value.alerts.map(({ asset, amount }) => (
                <li key={assetId(asset)} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 first:pt-0 last:pb-0">
                  <p className="min-w-0">
                    <Untrusted text={texts.alertLine(amount, asset.symbol)} className="font-medium" /> <Untrusted text={asset.networkName} className="text-sm text-muted" />
                  </p>
                  <Button kind="quiet" disabled={set.isPending} aria-label={texts.alertEndOf(asset.symbol, asset.networkName)} onClick={() => end(asset)}>
                    {texts.alertEnd}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Dialog open={adding} title={texts.alertTitle} onClose={() => setAdding(false)}>
        <AlertForm onClose={() => setAdding(false)} />
      </Dialog>
    </Card>
  );
}

function AlertForm({ onClose }: { readonly onClose: () => void }) {
  const accounts = useRead('accounts.list', { all: true });
  return (
    <Loaded query={accounts} lines={3}>
      {({ balances }) => {
        const assets = [...new Map(balances.map(({ asset }) => [assetId(asset), asset])).values()];
        const [first] = assets;
        return first ? <AlertFields assets={assets} first={first} onClose={onClose} /> : <Empty title={texts.noTokens} />;
      }}
    </Loaded>
  );
}

function AlertFields({ assets, first, onClose }: { readonly assets: readonly AssetView[]; readonly first: AssetView; readonly onClose: () => void }) {
  const set = useAct('accounts.setAlert');
  const announce = useAnnounce();
  const [asset, setAsset] = useState(assetId(first));
  const [amount, setAmount] = useState('');
  const [tried, setTried] = useState(false);
  const given = DecimalText.safeParse(amount.trim());
  const refused = set.error?.info.code === 'AMOUNT_INVALID' ? set.error.message : undefined;

  function submit() {
    setTried(true);
    if (!given.success) return;
    set.mutate(
      { asset, amount: given.data },
      {
        onSuccess() {
          announce(texts.alertSaved);
          onClose();
        },
      },
    );
  }
  return (
    <ActForm onSubmit={submit} error={refused ? undefined : set.error?.info} busy={set.isPending} confirm={set.isPending ? texts.working : texts.save} onClose={onClose}>
      <SelectField label={texts.alertToken} value={asset} onChange={setAsset} options={assets.map((one) => ({ value: assetId(one), label: texts.alertOption(one.symbol, one.networkName) }))} />
      <TextField label={texts.alertBelow} value={amount} onChange={setAmount} inputMode="decimal" autoComplete="off" maxLength={100} note={texts.alertBelowNote} problem={refused ?? (tried && !given.success ? texts.alertProblem : undefined)} />
    </ActForm>
  );
}
