import { browserSupportsWebAuthn } from '@simplewebauthn/browser';
import { useEffect, useState } from 'react';
import type { RouteInput } from '../../../../shared/contract/contract.ts';
import { makePasskey, stopCeremony } from '../../../client/prove.ts';
import { presenceCardTexts as texts } from '../../../texts/presence.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Callout } from '../../parts/callout.tsx';
import { TextField } from '../../parts/field.tsx';
import { useAct } from '../../server-state.tsx';
import { isPassphraseError } from '../wallets/passphrase-problem.ts';

type Attestation = RouteInput<'presence.passkeys.add'>['attestation'];

/** Makes a passkey in this browser. One that was made and not yet kept, because of a wrong passphrase, is not made again. */
export function PasskeyForm({ onClose }: { readonly onClose: () => void }) {
  const begin = useAct('presence.passkeys.begin');
  const add = useAct('presence.passkeys.add');
  const announce = useAnnounce();
  const [label, setLabel] = useState<string>(texts.labelDefault);
  const [passphrase, setPassphrase] = useState('');
  const [made, setMade] = useState<Attestation>();
  const [making, setMaking] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [tried, setTried] = useState(false);
  const error = add.error?.info ?? begin.error?.info;
  const wrong = isPassphraseError(error);
  const busy = begin.isPending || making || add.isPending;

  useEffect(() => stopCeremony, []);

  async function make(): Promise<Attestation | undefined> {
    const options = await begin.mutateAsync({}).catch(() => undefined);
    if (!options) return undefined;
    setMaking(true);
    const fresh = await makePasskey(options);
    setMaking(false);
    setStopped(fresh === undefined);
    setMade(fresh);
    return fresh;
  }

  async function submit(): Promise<void> {
    setTried(true);
    setStopped(false);
    if (label.trim() === '' || passphrase === '') return;
    const attestation = made ?? (await make());
    if (!attestation) return;
    add.mutate(
      { attestation, label: label.trim(), passphrase },
      {
        onSuccess() {
          announce(texts.added);
          onClose();
        },
        onError({ info }) {
          setPassphrase('');
          if (!isPassphraseError(info)) setMade(undefined);
        },
      },
    );
  }

  if (!browserSupportsWebAuthn()) return <Callout tone="warn">{texts.unsupported}</Callout>;
  return (
    <ActForm onSubmit={() => void submit()} error={wrong ? undefined : error} busy={busy} confirm={making ? texts.making : texts.add} onClose={onClose}>
      <p className="text-muted">{texts.addNote}</p>
      {stopped && (
        <Callout tone="warn" role="alert">
          {texts.notMade}
        </Callout>
      )}
      <TextField label={texts.label} value={label} onChange={setLabel} maxLength={40} autoComplete="off" problem={tried && label.trim() === '' ? texts.labelMissing : undefined} />
      <TextField label={texts.passphrase} type="password" autoComplete="off" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? error?.message : undefined} />
    </ActForm>
  );
}
