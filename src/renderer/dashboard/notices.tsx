import { useEffect, useRef } from 'react';
import { useRoute } from 'wouter';
import { commonTexts } from '../texts/common.ts';
import { budgetTexts, ownerTexts } from '../texts/dashboard.ts';
import { useAskForFirstPassphrase } from './owner-gate.tsx';
import { Button } from './parts/button.tsx';
import { Callout } from './parts/callout.tsx';
import { RequestsNotice } from './requests-notice.tsx';
import { useAct, useLinkState, useRead } from './server-state.tsx';

/** Failed tries after which the page says more than "trying again". */
const MANY_ATTEMPTS = 4;

/** What concerns every page: a lost connection, a passphrase that is missing, a pause, what agents ask for. */
export function Notices() {
  const { phase, attempts } = useLinkState();
  return (
    <div className="grid grid-cols-1 gap-3 not-empty:mb-5">
      {phase === 'lost' && (
        <Callout tone="warn" role="status">
          {attempts < MANY_ATTEMPTS ? commonTexts.connectionLost : commonTexts.connectionLostLong}
        </Callout>
      )}
      <PassphraseMissing />
      <Paused />
      <RequestsNotice />
    </div>
  );
}

/** A pause stops every payment, so that no page looks as if it were not there. Budgets has the switch itself. */
function Paused() {
  const policy = useRead('policy.get', {});
  const resume = useAct('policy.resume');
  const [onBudgets] = useRoute('/budgets');
  if (onBudgets || policy.data?.policy.paused !== true) return undefined;
  return (
    <Callout tone="warn" role="status">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          <span className="font-semibold">{budgetTexts.paused}.</span> {budgetTexts.pausedNote}
        </p>
        <Button disabled={resume.isPending} onClick={() => resume.mutate({})}>
          {budgetTexts.resume}
        </Button>
      </div>
      {resume.error && <p className="mt-2">{resume.error.message}</p>}
    </Callout>
  );
}

function PassphraseMissing() {
  const status = useRead('app.status', {});
  const owner = useRead('owner.status', {});
  const askForFirst = useAskForFirstPassphrase();
  const missing = owner.data?.passphraseSet === false && (owner.data.locked || owner.data.sessionNeeded || status.data?.environment === 'mainnet');
  const asked = useRef(false);

  useEffect(() => {
    if (!missing || asked.current) return;
    asked.current = true;
    void askForFirst();
  }, [missing, askForFirst]);

  if (!missing) return undefined;
  return (
    <Callout tone="warn">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>{status.data?.environment === 'mainnet' ? ownerTexts.missing.real : ownerTexts.missing.other}</p>
        <Button onClick={() => void askForFirst()}>{ownerTexts.set}</Button>
      </div>
    </Callout>
  );
}
