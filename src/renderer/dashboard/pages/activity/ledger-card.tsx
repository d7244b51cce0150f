import { useState } from 'react';
import type { LedgerStatus } from '../../../../shared/contract/ledger.ts';
import { activityTexts as texts } from '../../../texts/activity.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { ActForm } from '../../parts/act-form.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout, ErrorCallout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';

type Cause = Exclude<LedgerStatus['cause'], 'none'>;

/** Whether the ledger is as it was written, and the way on where it is not. */
export function LedgerCard() {
  const ledger = useRead('ledger.status', {});
  const [accepting, setAccepting] = useState<Cause>();
  return (
    <Card title={texts.ledger}>
      <Loaded query={ledger} lines={1}>
        {({ cause, canPutBack, findings, verified }) =>
          cause !== 'none' ? (
            <>
              <Callout tone="danger">
                <p>{texts.causes[cause].findings}</p>
                <ul className="mt-1 list-disc pl-5">
                  {findings.map((finding) => (
                    <li key={finding}>
                      <Untrusted text={finding} />
                    </li>
                  ))}
                </ul>
              </Callout>
              <div className="mt-3 flex flex-wrap items-center gap-3">
                {canPutBack && <PutBack />}
                <Button onClick={() => setAccepting(cause)}>{texts.causes[cause].accept}</Button>
              </div>
            </>
          ) : (
            <p className="text-muted">{verified ? texts.whole : texts.unverified}</p>
          )
        }
      </Loaded>
      <Dialog open={accepting !== undefined} title={accepting ? texts.causes[accepting].title : ''} onClose={() => setAccepting(undefined)}>
        {accepting && <AcceptForm cause={accepting} settingsToo={accepting !== 'settings' && ledger.data?.canPutBack === true} onClose={() => setAccepting(undefined)} />}
      </Dialog>
    </Card>
  );
}

function PutBack() {
  const putBack = useAct('settings.putBack');
  const announce = useAnnounce();
  return (
    <>
      <Button kind="primary" disabled={putBack.isPending} onClick={() => putBack.mutate({}, { onSuccess: () => announce(texts.putBackDone) })}>
        {putBack.isPending ? texts.puttingBack : texts.putBack}
      </Button>
      {putBack.error && <ErrorCallout error={putBack.error.info} />}
    </>
  );
}

function AcceptForm({ cause, settingsToo, onClose }: { readonly cause: Cause; readonly settingsToo: boolean; readonly onClose: () => void }) {
  const { note, means, done } = texts.causes[cause];
  const accept = useAct('ledger.accept');
  const announce = useAnnounce();
  const onSuccess = () => {
    announce(done);
    onClose();
  };
  return (
    <ActForm danger onSubmit={() => accept.mutate({}, { onSuccess })} error={accept.error?.info} busy={accept.isPending} confirm={accept.isPending ? texts.accepting : texts.acceptNow} onClose={onClose}>
      <p>{note}</p>
      <ul className="grid list-disc gap-2 pl-5">
        {[...means, ...(settingsToo ? [texts.settingsToo] : [])].map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </ActForm>
  );
}
