import { ClipboardPaste, FolderInput, Globe, Terminal } from 'lucide-react';
import { useState } from 'react';
import { addServerTexts as texts } from '../../../texts/servers.ts';
import { Button } from '../../parts/button.tsx';
import { ChoiceList } from '../../parts/choice-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FoundServers } from '../found-servers.tsx';
import { AddForm } from './add-form.tsx';
import { PasteForm } from './paste-form.tsx';

const WAYS = [
  { kind: 'paste', Icon: ClipboardPaste },
  { kind: 'stdio', Icon: Terminal },
  { kind: 'http', Icon: Globe },
  { kind: 'import', Icon: FolderInput },
] as const;
type Way = (typeof WAYS)[number]['kind'];

/** The ways to add a server, one step each. */
export function AddServerDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [way, setWay] = useState<Way>();
  const close = () => {
    setWay(undefined);
    onClose();
  };
  return (
    <Dialog form="wide" open={open} title={way ? texts.ways[way].label : texts.title} onClose={close}>
      {way === undefined && <ChoiceList choices={WAYS.map(({ kind, Icon }) => ({ kind, Icon, ...texts.ways[kind] }))} onChoose={setWay} />}
      {way === 'paste' && <PasteForm onBack={() => setWay(undefined)} onDone={close} />}
      {(way === 'stdio' || way === 'http') && <AddForm kind={way} onBack={() => setWay(undefined)} onDone={close} />}
      {way === 'import' && (
        <div className="grid gap-4">
          <p className="text-sm text-muted">{texts.importNote}</p>
          <FoundServers />
          <div className="flex justify-end">
            <Button onClick={() => setWay(undefined)}>{texts.back}</Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
