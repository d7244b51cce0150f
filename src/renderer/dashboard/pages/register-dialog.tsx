import { useQuery } from '@tanstack/react-query';
import type { ClientEntries, ClientRegistration } from '../../../shared/contract/clients.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { connectTexts as texts, layoutTexts } from '../../texts/dashboard.ts';
import { diffLines, foldSame, type DiffLine } from '../line-diff.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Loaded } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { read, useAct, useLink, type RequestError } from '../server-state.tsx';

interface RegisterDialogProps {
  /** The client to register in; absent while the dialog is closed. */
  readonly client: ClientRegistration | undefined;
  readonly entries: ClientEntries;
  readonly onClose: () => void;
}

/** Shows how a client's file would change, and writes it. */
export function RegisterDialog({ client, entries, onClose }: RegisterDialogProps) {
  return (
    <Dialog form="wide" open={client !== undefined} title={client ? texts.previewTitle(client.name) : ''} onClose={onClose}>
      {client && <Registration client={client} entries={entries} onClose={onClose} />}
    </Dialog>
  );
}

type Preview = RouteOutput<'clients.preview'>;

function Registration({ client: { kind, name }, entries, onClose }: { readonly client: ClientRegistration; readonly entries: ClientEntries; readonly onClose: () => void }) {
  const link = useLink();
  const announce = useAnnounce();
  const register = useAct('clients.register');
  // The file may change at any moment, so a preview is never kept.
  const preview = useQuery<Preview, RequestError>({ queryKey: ['clients.preview', kind, entries], queryFn: () => read(link, 'clients.preview', { kind, entries }), gcTime: 0 });
  const changes = preview.data?.changes === true;

  function write() {
    if (!preview.data) return;
    register.mutate(
      { kind, entries, digest: preview.data.digest },
      {
        onSuccess() {
          announce(texts.registered(name));
          onClose();
        },
        // Most likely the file changed meanwhile: show how it would change now.
        onError: () => void preview.refetch(),
      },
    );
  }

  return (
    <div className="grid gap-4">
      <p className="text-muted">{texts.previewNote}</p>
      <Loaded query={preview} lines={8}>
        {({ path, before, after, changes: changed }) => (
          <>
            <Untrusted text={path} className="font-mono text-sm" />
            {!changed ? <p className="font-medium">{texts.unchanged}</p> : <Diff before={before} after={after} />}
          </>
        )}
      </Loaded>
      {register.error && <ErrorCallout error={register.error.info} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{changes ? layoutTexts.cancel : layoutTexts.close}</Button>
        {changes && (
          <Button kind="primary" disabled={register.isPending} onClick={write}>
            {register.isPending ? texts.registering : texts.register}
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
