import { useState } from 'react';
import type { SeedView } from '../../../../shared/contract/secrets.ts';
import { commonTexts } from '../../../texts/common.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Moment, Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { isPassphraseError } from './passphrase-problem.ts';
import { ShownSecret } from './shown-secret.tsx';

interface SeedAct {
  readonly kind: 'reveal' | 'remove';
  readonly seed: SeedView;
}

const MAIN = 'main';
const nameOf = ({ id, label }: SeedView): string => (id === MAIN && label === '' ? texts.mainSeed : label);

/** The words behind the accounts: when they were last shown, and the ways to see or forget them. */
export function SeedsCard() {
  const seeds = useRead('seeds.list', {});
  const [act, setAct] = useState<SeedAct>();
  const close = () => {
    setAct(undefined);
    // No event says that words were shown.
    void seeds.refetch();
  };
  return (
    <Card title={texts.secrets}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.secretsNote}</p>
      <Loaded query={seeds} lines={2}>
        {(value) => (
          <ul className="divide-y divide-line">
            {value.seeds.map((seed) => (
              <Row key={seed.id} seed={seed} onAct={(kind) => setAct({ kind, seed })} />
            ))}
          </ul>
        )}
      </Loaded>
      <Dialog open={act !== undefined} title={act ? (act.kind === 'reveal' ? texts.revealTitle : texts.removeSeedTitle)(nameOf(act.seed)) : ''} onClose={close}>
        {act?.kind === 'reveal' && <RevealForm seed={act.seed} onClose={close} />}
        {act?.kind === 'remove' && <RemoveForm seed={act.seed} onClose={close} />}
      </Dialog>
    </Card>
  );
}

function Row({ seed, onAct }: { readonly seed: SeedView; readonly onAct: (kind: SeedAct['kind']) => void }) {
  const name = nameOf(seed);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Untrusted text={name} className="font-medium" />
          <span className="text-sm text-muted">{texts.seedWords(seed.words)}</span>
        </p>
        <p className={`text-sm ${seed.revealedAt === undefined && seed.id === MAIN ? 'text-warn' : 'text-muted'}`}>
          {seed.revealedAt === undefined ? (
            texts.neverShown
          ) : (
            <>
              {texts.lastShown} <Moment at={seed.revealedAt} />
            </>
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={texts.revealOf(name)} onClick={() => onAct('reveal')}>
          {texts.reveal}
        </Button>
        {seed.id !== MAIN && (
          <Button aria-label={texts.removeSeedOf(name)} onClick={() => onAct('remove')}>
            {texts.removeSeed}
          </Button>
        )}
      </div>
    </li>
  );
}

interface FormProps {
  readonly seed: SeedView;
  readonly onClose: () => void;
}

function RevealForm({ seed, onClose }: FormProps) {
  const reveal = useAct('seeds.reveal');
  const [passphrase, setPassphrase] = useState('');
  const wrong = isPassphraseError(reveal.error?.info);
  if (reveal.data) {
    return (
      <ShownSecret secret={reveal.data.words.join(' ')} onClose={onClose}>
        <ol aria-label={texts.wordsLabel} className="grid list-inside list-decimal grid-cols-2 gap-x-4 gap-y-1.5 rounded-xl bg-inset px-4 py-3 font-mono text-sm marker:text-muted sm:grid-cols-3">
          {reveal.data.words.map((word, place) => (
            <li key={place}>{word}</li>
          ))}
        </ol>
      </ShownSecret>
    );
  }
  return (
    <ActForm onSubmit={() => passphrase !== '' && reveal.mutate({ seed: seed.id, passphrase })} error={wrong ? undefined : reveal.error?.info} busy={reveal.isPending} confirm={reveal.isPending ? texts.checking : texts.revealNow} onClose={onClose}>
      <Callout tone="warn">{texts.revealNote}</Callout>
      <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? reveal.error?.message : undefined} />
    </ActForm>
  );
}

function RemoveForm({ seed, onClose }: FormProps) {
  const remove = useAct('seeds.remove');
  const announce = useAnnounce();
  const [confirm, setConfirm] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [tried, setTried] = useState(false);
  const confirmed = confirm.trim() === seed.label;
  const wrong = isPassphraseError(remove.error?.info);
  const submit = () => {
    setTried(true);
    if (!confirmed || passphrase === '') return;
    remove.mutate(
      { seed: seed.id, confirm: seed.label, passphrase },
      {
        onSuccess() {
          announce(texts.removed(seed.label));
          onClose();
        },
      },
    );
  };
  return (
    <ActForm danger onSubmit={submit} error={wrong ? undefined : remove.error?.info} busy={remove.isPending} confirm={remove.isPending ? texts.working : texts.removeNow} onClose={onClose}>
      <Callout tone="danger">{texts.removeSeedExplained}</Callout>
      <TextField label={texts.confirmLabel(seed.label)} value={confirm} onChange={setConfirm} autoComplete="off" maxLength={40} problem={tried && !confirmed ? texts.confirmLabelProblem : undefined} />
      <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? remove.error?.message : undefined} />
    </ActForm>
  );
}
