import type { UseQueryResult } from '@tanstack/react-query';
import type { ClientPreview } from '../../../shared/contract/clients.ts';
import { connectTexts as texts, layoutTexts } from '../../texts/dashboard.ts';
import { diffLines, foldSame, type DiffLine } from '../line-diff.ts';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Loaded } from '../parts/card.tsx';
import { Untrusted } from '../parts/texts.tsx';
import type { RequestError } from '../server-state.tsx';

interface FileChangeProps {
  readonly preview: UseQueryResult<ClientPreview, RequestError>;
  readonly note: string;
  /** What the button says that makes the change. */
  readonly action: string;
  readonly writing: { readonly isPending: boolean; readonly error: RequestError | null };
  readonly onWrite: (digest: string) => void;
  readonly onClose: () => void;
}

/** How a client's file would change, and the button that makes it so. */
export function FileChange({ preview, note, action, writing, onWrite, onClose }: FileChangeProps) {
  const { data } = preview;
  const changes = data?.changes === true;
  return (
    <div className="grid gap-4">
      <p className="text-muted">{note}</p>
      <Loaded query={preview} lines={8}>
        {({ path, before, after, changes: changed }) => (
          <>
            <Untrusted text={path} className="font-mono text-sm" />
            {!changed ? <p className="font-medium">{texts.unchanged}</p> : <Diff before={before} after={after} />}
          </>
        )}
      </Loaded>
      {writing.error && <ErrorCallout error={writing.error.info} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{changes ? layoutTexts.cancel : layoutTexts.close}</Button>
        {changes && (
          <Button kind="primary" disabled={writing.isPending} onClick={() => onWrite(data.digest)}>
            {writing.isPending ? texts.registering : action}
          </Button>
        )}
      </div>
    </div>
  );
}

const LOOKS: Record<DiffLine['kind'], { readonly sign: string; readonly look: string; readonly spoken: string }> = {
  same: { sign: ' ', look: 'text-muted', spoken: '' },
  added: { sign: '+', look: 'bg-ok-soft text-ok', spoken: texts.added },
  removed: { sign: '−', look: 'bg-danger-soft text-danger', spoken: texts.removed },
};

function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <div tabIndex={0} role="region" aria-label={texts.previewNote} className="max-h-[50dvh] overflow-auto rounded-xl border border-line py-2 font-mono text-sm">
      {foldSame(diffLines(before, after)).map((part, index) =>
        part.kind === 'folded' ? (
          <p key={index} className="bg-inset px-4 py-0.5 text-muted">
            {texts.unchangedLines(part.count)}
          </p>
        ) : (
          <ol key={index}>
            {part.lines.map(({ kind, text }, line) => (
              <li key={line} className={`flex px-4 ${LOOKS[kind].look}`}>
                <span aria-hidden="true" className="w-5 shrink-0 select-none">
                  {LOOKS[kind].sign}
                </span>
                <span className="min-w-0 whitespace-pre-wrap">
                  {LOOKS[kind].spoken && <span className="sr-only">{LOOKS[kind].spoken} </span>}
                  <Untrusted text={text} />
                </span>
              </li>
            ))}
          </ol>
        ),
      )}
    </div>
  );
}
