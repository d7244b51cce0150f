import type { SettingsView } from '../../../../shared/contract/settings.ts';
import { Environment } from '../../../../shared/contract/app.ts';
import { moneyKindTexts as texts } from '../../../texts/settings.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout, ErrorCallout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { useAct, useRead } from '../../server-state.tsx';

/** Which money this Bursar is for, and how the others are started. */
export function MoneyKindCard({ settings }: { readonly settings: SettingsView }) {
  const now = useRead('app.status', {}).data?.environment;
  return (
    <Card title={texts.title}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.note}</p>
      <ul className="divide-y divide-line">
        {Environment.options.map((kind) => (
          <li key={kind} className="py-3 first:pt-0 last:pb-0">
            <h3 className="flex flex-wrap items-center gap-2 font-medium">
              {texts.kinds[kind].title}
              {kind === now && <span className="rounded-full bg-accent-soft px-2.5 py-0.5 text-sm text-accent">{texts.now}</span>}
            </h3>
            <p className="text-sm text-muted">{texts.kinds[kind].note}</p>
            {kind === 'mainnet' && now !== 'mainnet' && <RealMoneyWarning />}
            {now !== undefined && kind !== now && <StartKind kind={kind} settings={settings} />}
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-muted">{texts.howMore}</p>
    </Card>
  );
}

/** What changes with real money, in plain words. */
export const RealMoneyWarning = () => (
  <div className="mt-2">
    <Callout tone="warn">
      <p className="font-medium">{texts.realWarning}</p>
      <p className="mt-1">{texts.realFirst}</p>
    </Callout>
  </div>
);

/** The way to the Bursar for another kind of money: a button where this one can start it, else the command; nothing where it does not come with this program. */
export function StartKind({ kind, settings: { starts, startsByItself } }: { readonly kind: Environment; readonly settings: Pick<SettingsView, 'starts' | 'startsByItself'> }) {
  const start = useAct('settings.start');
  const announce = useAnnounce();
  const name = texts.kinds[kind].title.toLowerCase();
  if (starts[kind] === '') return undefined;
  return (
    <div className="mt-2 grid grid-cols-1 gap-2">
      {startsByItself ? (
        <div>
          <Button disabled={start.isPending} onClick={() => start.mutate({ environment: kind }, { onSuccess: () => announce(texts.opened(name)) })}>
            {start.isPending ? texts.opening : texts.open(name)}
          </Button>
        </div>
      ) : (
        <div>
          <p className="mb-1 text-sm text-muted">{texts.how}</p>
          <CommandLine command={starts[kind]} what={texts.command(name)} />
        </div>
      )}
      {start.error && <ErrorCallout error={start.error.info} />}
    </div>
  );
}
