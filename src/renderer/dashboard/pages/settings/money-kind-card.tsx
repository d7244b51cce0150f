import type { SettingsView } from '../../../../shared/contract/settings.ts';
import { Environment } from '../../../../shared/contract/app.ts';
import { moneyKindTexts as texts } from '../../../texts/settings.ts';
import { Callout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';

/** Which money this Bursar is for, and how the others are started. */
export function MoneyKindCard({ settings: { starts } }: { readonly settings: SettingsView }) {
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
            {now !== undefined && kind !== now && <StartCommand command={starts[kind]} kind={texts.kinds[kind].title.toLowerCase()} />}
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

/** The command that starts a Bursar for another kind of money. */
export const StartCommand = ({ command, kind }: { readonly command: string; readonly kind: string }) => (
  <div className="mt-2">
    <p className="text-sm text-muted">{texts.how}</p>
    <p className="flex items-start justify-between gap-2 rounded-lg bg-inset px-3 py-2">
      <code className="min-w-0 font-mono text-sm wrap-anywhere">{command}</code>
      <CopyButton text={command} what={texts.command(kind)} />
    </p>
  </div>
);
