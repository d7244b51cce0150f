import { useState, type FormEvent } from 'react';
import { MOST_PASTED_CHARACTERS, type PastedServer } from '../../../../shared/contract/upstream-state.ts';
import { addServerTexts as texts } from '../../../texts/servers.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { TextArea, TextField } from '../../parts/field.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { nameProblem } from './add-form.tsx';
import { ExactWords } from './exact-words.tsx';

interface PasteFormProps {
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** A text that was made for a client: read first, then looked at, then added. */
export function PasteForm({ onBack, onDone }: PasteFormProps) {
  const [text, setText] = useState('');
  const reading = useAct('upstreams.readPaste');
  const [found, setFound] = useState<readonly PastedServer[]>();
  if (found) return <Review text={text} servers={found} onBack={() => setFound(undefined)} onDone={onDone} />;

  function read(event: FormEvent) {
    event.preventDefault();
    reading.mutate({ text }, { onSuccess: ({ servers }) => setFound(servers) });
  }
  return (
    <form className="grid min-w-0 grid-cols-1 gap-4" noValidate onSubmit={read}>
      <TextArea label={texts.paste} value={text} onChange={setText} rows={12} mono spellCheck={false} maxLength={MOST_PASTED_CHARACTERS} note={texts.pasteNote} placeholder={texts.pastePlaceholder} />
      {reading.error && <ErrorCallout error={reading.error.info} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onBack}>{texts.back}</Button>
        <Button kind="primary" type="submit" disabled={reading.isPending || text.trim() === ''}>
          {reading.isPending ? texts.reading : texts.read}
        </Button>
      </div>
    </form>
  );
}

interface Choice {
  readonly chosen: boolean;
  readonly name: string;
}

function Review({ text, servers, onBack, onDone }: PasteFormProps & { readonly text: string; readonly servers: readonly PastedServer[] }) {
  const taken = useRead('upstreams.list', {}).data?.upstreams.map(({ name }) => name) ?? [];
  const adding = useAct('upstreams.addPasted');
  const announce = useAnnounce();
  const [choices, setChoices] = useState<readonly Choice[]>(servers.map(({ name, problem, known }) => ({ chosen: problem === undefined && known === undefined, name })));
  const change = (at: number, next: Partial<Choice>) => setChoices(choices.map((choice, index) => (index === at ? { ...choice, ...next } : choice)));
  const add = servers.flatMap(({ entry }, index) => (choices[index]?.chosen ? [{ entry, name: choices[index].name }] : []));
  const problemAt = (index: number) => nameProblem(choices[index]?.name ?? '', [...taken, ...choices.filter((choice, other) => choice.chosen && other < index).map(({ name }) => name)]);
  const isWrong = servers.some((_, index) => choices[index]?.chosen && problemAt(index));

  function submit() {
    if (isWrong || add.length === 0) return;
    adding.mutate(
      { text, add },
      {
        onSuccess({ added }) {
          announce(texts.addedSome(added.map(({ name }) => name).join(', ')));
          onDone();
        },
      },
    );
  }
  return (
    <ActForm onSubmit={submit} error={adding.error?.info} busy={adding.isPending || add.length === 0} confirm={adding.isPending ? texts.confirming : texts.addSome(add.length)} cancel={texts.again} onClose={onBack}>
      <p className="font-medium">{texts.found(servers.length)}</p>
      <ul className="grid gap-3">
        {servers.map((server, index) => (
          <li key={index} className="grid min-w-0 gap-2 rounded-xl border border-line p-4">
            <Pasted server={server} choice={choices[index] ?? { chosen: false, name: server.name }} problem={choices[index]?.chosen ? problemAt(index) : undefined} onChange={(next) => change(index, next)} />
          </li>
        ))}
      </ul>
    </ActForm>
  );
}

interface PastedProps {
  readonly server: PastedServer;
  readonly choice: Choice;
  readonly problem: string | undefined;
  readonly onChange: (choice: Partial<Choice>) => void;
}

function Pasted({ server: { entry, transport, words, secrets, problem, warnings, known }, choice, problem: wrongName, onChange }: PastedProps) {
  const shown = entry === '' ? texts.unnamed : entry;
  return (
    <>
      <label className="flex items-start gap-2">
        <input type="checkbox" className="mt-1" disabled={problem !== undefined} checked={choice.chosen} aria-label={texts.choose(shown)} onChange={(event) => onChange({ chosen: event.target.checked })} />
        <Untrusted text={shown} className="font-medium" />
      </label>
      {transport && <ExactWords words={words} kind={transport} />}
      {secrets.length > 0 && (
        <p className="text-sm text-muted">
          <Untrusted text={texts.secrets(secrets.join(', '))} />
        </p>
      )}
      {known !== undefined && <p className="text-sm text-muted">{texts.known(known)}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="text-sm text-warn">
          {warning}
        </p>
      ))}
      {problem !== undefined && <p className="text-sm text-danger">{problem}</p>}
      {choice.chosen && <TextField label={texts.name} value={choice.name} onChange={(name) => onChange({ name: name.trim().toLowerCase() })} problem={wrongName} autoComplete="off" spellCheck={false} maxLength={32} />}
    </>
  );
}
