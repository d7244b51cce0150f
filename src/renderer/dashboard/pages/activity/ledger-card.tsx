import { useState } from 'react';
import { activityTexts as texts } from '../../../texts/activity.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { ActForm } from '../../parts/act-form.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';

/** Whether the ledger is as it was written, and the way on where it is not. */
export function LedgerCard() {
  const ledger = useRead('ledger.status', {});
  const [accepting, setAccepting] = useState(false);
  return (
    <Card title={texts.ledger}>
      <Loaded query={ledger} lines={1}>
        {({ findings, verified }) =>
          findings.length > 0 ? (
            <>
              <Callout tone="danger">
                <p>{texts.findings}</p>
                <ul className="mt-1 list-disc pl-5">
                  {findings.map((finding) => (
                    <li key={finding}>
                      <Untrusted text={finding} />
                    </li>
                  ))}
                </ul>
              </Callout>
              <Button className="mt-3" onClick={() => setAccepting(true)}>
                {texts.accept}
              </Button>
            </>
          ) : (
            <p className="text-muted">{verified ? texts.whole : texts.unverified}</p>
          )
        }
      </Loaded>
      <Dialog open={accepting} title={accepting ? texts.acceptTitle : ''} onClose={() => setAccepting(false)}>
        {accepting && <AcceptForm onClose={() => setAccepting(false)} />}
      </Dialog>
    </Card>
  );
}

function AcceptForm({ onClose }: { readonly onClose: () => void }) {
  const accept = useAct('ledger.accept');
  const announce = useAnnounce();
  const onSuccess = () => {
    announce(texts.acceptDone);
    onClose();
  };
  return (
    <ActForm danger onSubmit={() => accept.mutate({}, { onSuccess })} error={accept.error?.info} busy={accept.isPending} confirm={accept.isPending ? texts.accepting : texts.acceptNow} onClose={onClose}>
      <p>{texts.acceptNote}</p>
      <ul className="grid list-disc gap-2 pl-5">
        {texts.acceptMeans.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </ActForm>
  );
}
