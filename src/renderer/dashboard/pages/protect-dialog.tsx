import { useQuery } from '@tanstack/react-query';
import type { ClientServer } from '../../../shared/contract/clients.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { read, useAct, useLink, type RequestError } from '../server-state.tsx';
import { FileChange } from './file-change.tsx';

/** Shows how the entry of a server in its client's file would change, and puts Bursar there. */
export function ProtectDialog({ server, onClose }: { readonly server: ClientServer | undefined; readonly onClose: () => void }) {
  return (
    <Dialog form="wide" open={server !== undefined} title={server ? texts.protectOne(server.name) : ''} onClose={onClose}>
      {server && <Protect server={server} onClose={onClose} />}
    </Dialog>
  );
}

type Preview = RouteOutput<'clients.previewProtect'>;

function Protect({ server: { kind, name, client }, onClose }: { readonly server: ClientServer; readonly onClose: () => void }) {
  const link = useLink();
  const announce = useAnnounce();
  const protect = useAct('clients.protect');
  // The file may change at any moment, so a preview is never kept.
  const preview = useQuery<Preview, RequestError>({ queryKey: ['clients.previewProtect', kind, name], queryFn: () => read(link, 'clients.previewProtect', { kind, name }), gcTime: 0 });

  function write(digest: string) {
    protect.mutate(
      { kind, name, digest },
      {
        onSuccess() {
          announce(texts.protected(name, client));
          onClose();
        },
        // Most likely the file changed meanwhile: show how it would change now.
        onError: () => void preview.refetch(),
      },
    );
  }
  return <FileChange preview={preview} note={texts.protectNote} action={texts.protectWrite} writing={protect} onWrite={write} onClose={onClose} />;
}
