import { Eye, KeyRound, ListOrdered, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { ChoiceList, type Choice } from '../../parts/choice-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DeriveForm, ImportForm, WatchForm, WordsForm } from './add-account-forms.tsx';

type Way = keyof typeof texts.ways;

const ICONS = { derive: ListOrdered, import: KeyRound, words: ScrollText, watch: Eye };
const CHOICES: readonly Choice<Way>[] = (['derive', 'import', 'words', 'watch'] as const).map((kind) => ({ kind, Icon: ICONS[kind], ...texts.ways[kind] }));
const FORMS = { derive: DeriveForm, import: ImportForm, words: WordsForm, watch: WatchForm };

/** First where the account comes from, then the form for it. */
export function AddAccountDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [way, setWay] = useState<Way>();
  const close = () => {
    setWay(undefined);
    onClose();
  };
  const Form = way && FORMS[way];
  return (
    <Dialog open={open} title={way === undefined ? texts.addTitle : texts.ways[way].label} onClose={close}>
      {Form ? <Form onBack={() => setWay(undefined)} onClose={close} /> : <ChoiceList choices={CHOICES} onChoose={setWay} />}
    </Dialog>
  );
}
