import { useState } from 'react';
import type { NetworkSetting } from '../../../../shared/contract/settings.ts';
import { networkTexts as texts, settingsTexts } from '../../../texts/settings.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { TextArea } from '../../parts/field.tsx';
import { useAct } from '../../server-state.tsx';
import { linesOf, problemOf } from './address-lines.ts';
import { RpcChecks } from './rpc-checks.tsx';

/** Enables a network, or gives it other RPC addresses, which can be checked before. */
export function NetworkForm({ network: { network, rpcUrls, builtIn }, onClose }: { readonly network: NetworkSetting; readonly onClose: () => void }) {
  const save = useAct('networks.set');
  const check = useAct('settings.checkRpc');
  const announce = useAnnounce();
  const [text, setText] = useState(rpcUrls.join('\n'));
  const [tried, setTried] = useState(false);
  const problem = problemOf(text);
  const differs = builtIn.length > 0 && text.trim() !== builtIn.join('\n');

  function change(next: string) {
    setText(next);
    // What was found belongs to the addresses that were asked.
    check.reset();
  }
  function ask() {
    setTried(true);
    if (problem === undefined) check.mutate({ network, rpcUrls: [...linesOf(text)] });
  }
  function submit() {
    setTried(true);
    if (problem !== undefined) return;
    save.mutate(
      { network, rpcUrls: [...linesOf(text)] },
      {
        onSuccess() {
          announce(settingsTexts.saved);
          onClose();
        },
      },
    );
  }
  return (
    <ActForm onSubmit={submit} error={save.error?.info} busy={save.isPending} confirm={save.isPending ? settingsTexts.saving : settingsTexts.save} onClose={onClose}>
      <p className="text-muted">{texts.dialogNote}</p>
      <TextArea label={texts.addresses} value={text} onChange={change} rows={4} mono spellCheck={false} maxLength={10_000} problem={tried ? problem : undefined} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={check.isPending} onClick={ask}>
          {check.isPending ? texts.checking : texts.check}
        </Button>
        {differs && (
          <Button kind="quiet" onClick={() => change(builtIn.join('\n'))}>
            {texts.useBuiltIn}
          </Button>
        )}
      </div>
      {check.error && <ErrorCallout error={check.error.info} />}
      {check.data && <RpcChecks checks={check.data.checks} />}
    </ActForm>
  );
}
