import { useState } from 'react';
import type { RouteOutput } from '../../../../shared/contract/contract.ts';
import { facilitatorTexts as texts, networkTexts, settingsTexts } from '../../../texts/settings.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextArea } from '../../parts/field.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { linesOf, problemOf } from './address-lines.ts';

type Facilitators = RouteOutput<'facilitators.list'>['facilitators'][number];

/** Stands for every network without facilitators of its own. */
const EVERY_OTHER = '*';

/** Whom Bursar asks where it settles by itself, for each network. */
export function FacilitatorsCard() {
  const list = useRead('facilitators.list', {});
  const networks = useRead('settings.get', {}).data?.networks ?? [];
  const [changing, setChanging] = useState<string>();
  const nameOf = (id: string) => (id === EVERY_OTHER ? texts.all : (networks.find(({ network }) => network === id)?.name ?? id));
  const changed = list.data?.facilitators.find(({ network }) => network === changing);
  const close = () => setChanging(undefined);
  return (
    <Card title={texts.title}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.note}</p>
      <Loaded query={list}>
        {({ facilitators }) =>
          facilitators.length === 0 ? (
            <p className="text-muted">{texts.none}</p>
          ) : (
            <ul className="divide-y divide-line">
              {facilitators.map((each) => (
                <Row key={each.network} facilitators={each} name={nameOf(each.network)} onChange={() => setChanging(each.network)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Dialog form="wide" open={changed !== undefined} title={changed ? texts.dialog(nameOf(changed.network)) : ''} onClose={close}>
        {changed && <FacilitatorsForm facilitators={changed} onClose={close} />}
      </Dialog>
    </Card>
  );
}

function Row({ facilitators: { network, urls, own }, name, onChange }: { readonly facilitators: Facilitators; readonly name: string; readonly onChange: () => void }) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <h3>
          <Untrusted text={name} className="font-medium" />
          <span className="text-sm text-muted">, {own ? texts.own : texts.builtIn}</span>
        </h3>
        <ol>
          {urls.map((url) => (
            <li key={url}>
              <Untrusted text={url} className="font-mono text-sm text-muted" />
            </li>
          ))}
        </ol>
      </div>
      <Button aria-label={texts.changeOne(network === EVERY_OTHER ? texts.all : name)} onClick={onChange}>
        {texts.change}
      </Button>
    </li>
  );
}

function FacilitatorsForm({ facilitators: { network, urls, own }, onClose }: { readonly facilitators: Facilitators; readonly onClose: () => void }) {
  const save = useAct('facilitators.set');
  const reset = useAct('facilitators.reset');
  const announce = useAnnounce();
  const [text, setText] = useState(urls.join('\n'));
  const [tried, setTried] = useState(false);
  const problem = problemOf(text);
  const done = (words: string) => ({
    onSuccess() {
      announce(words);
      onClose();
    },
  });
  function submit() {
    setTried(true);
    if (problem === undefined) save.mutate({ network, urls: [...linesOf(text)] }, done(settingsTexts.saved));
  }
  return (
    <ActForm onSubmit={submit} error={save.error?.info} busy={save.isPending} confirm={save.isPending ? settingsTexts.saving : settingsTexts.save} onClose={onClose}>
      <p className="text-muted">{texts.dialogNote}</p>
      <TextArea label={networkTexts.addresses} value={text} onChange={setText} rows={3} mono spellCheck={false} maxLength={10_000} problem={tried ? problem : undefined} />
      {own && (
        <div>
          <Button kind="quiet" disabled={reset.isPending} onClick={() => reset.mutate({ network }, done(texts.wasReset))}>
            {texts.reset}
          </Button>
        </div>
      )}
      {reset.error && <ErrorCallout error={reset.error.info} />}
    </ActForm>
  );
}
