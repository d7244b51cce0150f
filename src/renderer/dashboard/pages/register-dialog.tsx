import { useQuery } from '@tanstack/react-query';
import type { ClientEntries, ClientRegistration } from '../../../shared/contract/clients.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { read, useAct, useLink, type RequestError } from '../server-state.tsx';
import { FileChange } from './file-change.tsx';

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

  function write(digest: string) {
    register.mutate(
      { kind, entries, digest },
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
  return <FileChange preview={preview} note={texts.previewNote} action={texts.register} writing={register} onWrite={write} onClose={onClose} />;
}
