import { useState, type ReactNode } from 'react';
import type { PasskeyView, PresenceStatus } from '../../../../shared/contract/presence.ts';
import { presenceCardTexts as texts } from '../../../texts/presence.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { PasskeyForm } from './passkey-form.tsx';
import { PresenceForm } from './presence-form.tsx';

/** From which amount on the owner proves to be there, and the passkeys that do it. */
export function PresenceCard() {
  const status = useRead('presence.get', {});
  const [act, setAct] = useState<'change' | 'add'>();
  const close = () => setAct(undefined);
  return (
    <Card title={texts.title}>
      <p className="mb-3 text-sm text-muted">{texts.intro}</p>
      <Loaded query={status}>
        {(value) => (
          <>
            <div className="divide-y divide-line">
              <Row button={<Button onClick={() => setAct('change')}>{texts.change}</Button>}>
                <p className="font-medium">{ruleWords(value)}</p>
                {value.above !== 'off' && <p className="text-sm text-muted">{texts.unpriced}</p>}
              </Row>
              <Passkeys status={value} onAdd={() => setAct('add')} />
            </div>
            <Dialog open={act !== undefined} title={act === 'add' ? texts.addTitle : act === 'change' ? texts.dialogTitle : ''} onClose={close}>
              {act === 'change' && <PresenceForm above={value.above} onClose={close} />}
              {act === 'add' && <PasskeyForm onClose={close} />}
            </Dialog>
          </>
        )}
      </Loaded>
    </Card>
  );
}

const ruleWords = ({ above, byDefault }: PresenceStatus): string =>
  above === 'off' ? (byDefault ? texts.neverDefault : texts.never) : (byDefault ? texts.aboveDefault : texts.above)(`$${above}`);

const Row = ({ children, button }: { readonly children: ReactNode; readonly button?: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
    <div className="min-w-0">{children}</div>
    {button}
  </div>
);

function Passkeys({ status: { passkeys, canAddPasskey }, onAdd }: { readonly status: PresenceStatus; readonly onAdd: () => void }) {
  const remove = useAct('presence.passkeys.remove');
  const announce = useAnnounce();
  return (
    <div className="pt-3">
      <Row button={canAddPasskey ? <Button onClick={onAdd}>{texts.add}</Button> : undefined}>
        <p className="font-medium">{texts.passkeys}</p>
        <p className="text-sm text-muted">{canAddPasskey ? (passkeys.length === 0 ? texts.noPasskey : texts.onlyPasskeys) : texts.noPasskeyHere}</p>
      </Row>
      {passkeys.length > 0 && (
        <ul className="mt-3 grid gap-2">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} busy={remove.isPending} onRemove={() => remove.mutate({ id: passkey.id }, { onSuccess: () => announce(texts.removed) })} />
          ))}
        </ul>
      )}
      {remove.error && (
        <div className="mt-3">
          <ErrorCallout error={remove.error.info} />
        </div>
      )}
    </div>
  );
}

function PasskeyRow({ passkey: { label, createdAt, usedAt }, busy, onRemove }: { readonly passkey: PasskeyView; readonly busy: boolean; readonly onRemove: () => void }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-lg bg-inset px-3 py-2">
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <bdi>{label}</bdi>
        </p>
        <p className="text-sm text-muted">
          {texts.addedAt} <Moment at={createdAt} />
          {', '}
          {usedAt === undefined ? (
            texts.neverUsed
          ) : (
            <>
              {texts.used} <Moment at={usedAt} />
            </>
          )}
        </p>
      </div>
      <Button kind="quiet" aria-label={texts.remove(label)} disabled={busy} onClick={onRemove}>
        {texts.removeShort}
      </Button>
    </li>
  );
}
