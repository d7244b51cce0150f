import { useEffect, useRef } from 'react';
import { commonTexts } from '../texts/common.ts';
import { ownerTexts } from '../texts/dashboard.ts';
import { useAskForFirstPassphrase } from './owner-gate.tsx';
import { Button } from './parts/button.tsx';
import { Callout } from './parts/callout.tsx';
import { useLinkState, useRead } from './server-state.tsx';

/** Failed tries after which the page says more than "trying again". */
const MANY_ATTEMPTS = 4;

/** What concerns every page: a lost connection, a passphrase that is missing. */
export function Notices() {
  const { phase, attempts } = useLinkState();
  return (
    <div className="grid gap-3 not-empty:mb-5">
      {phase === 'lost' && (
        <Callout tone="warn" role="status">
          {attempts < MANY_ATTEMPTS ? commonTexts.connectionLost : commonTexts.connectionLostLong}
        </Callout>
      )}
      <PassphraseMissing />
    </div>
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
        <p>{ownerTexts.missing}</p>
        <Button onClick={() => void askForFirst()}>{ownerTexts.set}</Button>
      </div>
    </Callout>
  );
}
