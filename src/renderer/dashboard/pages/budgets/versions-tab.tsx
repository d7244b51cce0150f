import { useState } from 'react';
import type { PolicyVersionEntry } from '../../../../shared/contract/policy.ts';
import type { Policy } from '../../../../shared/policy/policy.ts';
import { authorName } from '../../../texts/activity.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Moment, Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';

const PAGE = 20;
const MOST = 100;

interface VersionsTabProps {
  readonly inForce: number;
  readonly onPutBack: (policy: Policy, number: number) => void;
}

/** What was saved, when and by whom, and the way back to it. */
export function VersionsTab({ inForce, onPutBack }: VersionsTabProps) {
  const [limit, setLimit] = useState(PAGE);
  const saved = useRead('policy.versions', { limit });
  return (
    <Card title={texts.versions}>
      <Loaded query={saved} lines={6}>
        {({ versions, more }) => (
          <>
            <ul className="divide-y divide-line">
              {versions.map((version) => (
                <Version key={version.number} version={version} isInForce={version.number === inForce} onPutBack={onPutBack} />
              ))}
            </ul>
            {more && limit < MOST && (
              <Button className="mt-4 w-full" onClick={() => setLimit(Math.min(MOST, limit + PAGE))}>
                {texts.versionsMore}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface VersionProps extends Pick<VersionsTabProps, 'onPutBack'> {
  readonly version: PolicyVersionEntry;
  readonly isInForce: boolean;
}

function Version({ version: { number, savedAt, author, caps, rules, paused }, isInForce, onPutBack }: VersionProps) {
  const [open, setOpen] = useState(false);
  const back = useAct('policy.version');
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium tabular-nums">{texts.versionOf(number)}</span>
            <span className="text-sm text-muted">
              <Moment at={savedAt} /> <Untrusted text={texts.versionBy(authorName(author))} />
            </span>
            {isInForce && <span className="text-sm text-ok">{texts.versionNow}</span>}
          </p>
          <p className="text-sm text-muted">{[texts.versionParts(caps, rules), paused && texts.versionPaused].filter(Boolean).join(', ')}</p>
        </div>
        {!isInForce && (
          <Button disabled={back.isPending} aria-label={texts.versionBackOf(number)} onClick={() => back.mutate({ number }, { onSuccess: ({ policy }) => onPutBack(policy, number) })}>
            {texts.versionBack}
          </Button>
        )}
      </div>
      {back.error && <ErrorCallout error={back.error.info} />}
      <details className="mt-1 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="text-muted">{texts.versionLook}</summary>
        {open && <VersionText number={number} />}
      </details>
    </li>
  );
}

function VersionText({ number }: { readonly number: number }) {
  const version = useRead('policy.version', { number });
  return (
    <Loaded query={version}>
      {({ policy }) => (
        <pre tabIndex={0} role="region" aria-label={texts.versionOf(number)} className="untrusted mt-2 max-h-80 overflow-auto rounded-xl bg-inset p-4 font-mono text-sm whitespace-pre-wrap">
          {JSON.stringify(policy, null, 2)}
        </pre>
      )}
    </Loaded>
  );
}
