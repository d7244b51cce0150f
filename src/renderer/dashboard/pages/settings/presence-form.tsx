import { useState } from 'react';
import type { PresenceStatus } from '../../../../shared/contract/presence.ts';
import { presenceCardTexts as texts } from '../../../texts/presence.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { useAct } from '../../server-state.tsx';

/** As main's schema takes it. */
const AMOUNT = /^(0|[1-9]\d{0,77})(\.\d{1,6})?$/;
const USUAL = '1.00';

/** Changes the amount from which on presence is proven; raising it is proven itself. */
export function PresenceForm({ above, onClose }: { readonly above: PresenceStatus['above']; readonly onClose: () => void }) {
  const set = useAct('presence.set');
  const announce = useAnnounce();
  const [choice, setChoice] = useState<'above' | 'off'>(above === 'off' ? 'off' : 'above');
  const [amount, setAmount] = useState(above === 'off' ? USUAL : above);
  const [tried, setTried] = useState(false);
  const wrong = choice === 'above' && !AMOUNT.test(amount.trim());
  const submit = () => {
    setTried(true);
    if (wrong) return;
    set.mutate(
      { above: choice === 'off' ? 'off' : amount.trim() },
      {
        onSuccess() {
          announce(texts.saved);
          onClose();
        },
      },
    );
  };
  return (
    <ActForm onSubmit={submit} error={set.error?.info} busy={set.isPending} confirm={set.isPending ? texts.saving : texts.save} onClose={onClose}>
      <SelectField
        label={texts.ask}
        value={choice}
        onChange={setChoice}
        options={[
          { value: 'above', label: texts.options.above },
          { value: 'off', label: texts.options.off },
        ]}
      />
      {choice === 'above' && (
        <TextField label={texts.amount} prefix="$" inputMode="decimal" value={amount} onChange={setAmount} maxLength={40} autoComplete="off" note={texts.amountNote} problem={tried && wrong ? texts.amountInvalid : undefined} />
      )}
    </ActForm>
  );
}
