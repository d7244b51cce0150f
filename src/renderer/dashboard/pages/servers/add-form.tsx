import { useState } from 'react';
import type { UpstreamTransport } from '../../../../shared/contract/upstreams.ts';
import { UpstreamName } from '../../../../shared/contract/values.ts';
import { OWN_NAME } from '../../../../shared/text/own-name.ts';
import { addServerTexts as texts } from '../../../texts/servers.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { TextArea, TextField } from '../../parts/field.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { commandWords, looksLikeShell } from './command-words.ts';
import { ExactWords } from './exact-words.tsx';
import { NameValues, recordOf, type NameValue } from './name-values.tsx';

interface AddFormProps {
  readonly kind: 'stdio' | 'http';
  readonly onBack: () => void;
  readonly onDone: () => void;
}

/** A server by its command or its address. What will be run stands below in full before it is added. */
export function AddForm({ kind, onBack, onDone }: AddFormProps) {
  const names = useRead('upstreams.list', {}).data?.upstreams.map(({ name }) => name) ?? [];
  const add = useAct('upstreams.add');
  const announce = useAnnounce();
  const [name, setName] = useState('');
  const [command, setCommand] = useState('');
  const [url, setUrl] = useState('');
  const [rows, setRows] = useState<readonly NameValue[]>([]);
  const [signIn, setSignIn] = useState(false);
  const [tried, setTried] = useState(false);

  const parsed = commandWords(command);
  const isUrl = isHttpUrl(url);
  const wrong = {
    name: nameProblem(name, names),
    command: kind === 'http' || 'words' in parsed ? undefined : parsed.problem === 'open' ? texts.commandOpen : texts.commandMissing,
    url: kind === 'stdio' || isUrl ? undefined : texts.urlProblem,
  };

  function submit() {
    setTried(true);
    if (wrong.name ?? wrong.command ?? wrong.url) return;
    const [program = '', ...args] = 'words' in parsed ? parsed.words : [];
    const transport: UpstreamTransport = kind === 'stdio' ? { kind, command: program, args, env: recordOf(rows) } : { kind, url: url.trim(), headers: recordOf(rows), ...(signIn && { auth: { kind: 'oauth' as const } }) };
    add.mutate(
      { name, transport },
      {
        onSuccess() {
          announce(texts.added(name));
          onDone();
        },
      },
    );
  }

  return (
    <ActForm onSubmit={submit} error={add.error?.info} busy={add.isPending} confirm={add.isPending ? texts.confirming : texts.confirm} cancel={texts.back} onClose={onBack}>
      <TextField label={texts.name} value={name} onChange={(next) => setName(next.trim().toLowerCase())} problem={tried ? wrong.name : undefined} note={texts.nameNote} autoComplete="off" spellCheck={false} maxLength={32} />
      {kind === 'stdio' ? (
        <TextArea label={texts.command} value={command} onChange={setCommand} rows={2} mono spellCheck={false} maxLength={30_000} problem={tried ? wrong.command : undefined} remark={looksLikeShell(command) ? texts.commandShell : undefined} note={texts.commandNote} placeholder={texts.commandPlaceholder} />
      ) : (
        <TextField label={texts.url} value={url} onChange={setUrl} autoComplete="off" spellCheck={false} maxLength={4096} problem={tried ? wrong.url : undefined} remark={isUrl && url.startsWith('http:') ? texts.urlPlain : undefined} placeholder={texts.urlPlaceholder} />
      )}
      {kind === 'http' && (
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={signIn} onChange={(event) => setSignIn(event.target.checked)} />
          {texts.signIn}
        </label>
      )}
      <NameValues legend={kind === 'stdio' ? texts.env : texts.headers} note={kind === 'stdio' ? texts.envNote : texts.headersNote} add={kind === 'stdio' ? texts.addEnv : texts.addHeader} rows={rows} onChange={setRows} />
      {(kind === 'stdio' ? 'words' in parsed : isUrl) && (
        <section aria-label={kind === 'stdio' ? texts.review : texts.reviewUrl} className="rounded-xl border border-line p-4">
          <h3 className="mb-2 font-medium">{kind === 'stdio' ? texts.review : texts.reviewUrl}</h3>
          <ExactWords words={kind === 'stdio' && 'words' in parsed ? parsed.words : [url.trim()]} kind={kind} />
        </section>
      )}
    </ActForm>
  );
}

/** What is wrong with the name of a new server. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === OWN_NAME) return texts.nameOwn;
  if (!UpstreamName.safeParse(name).success) return texts.nameProblem;
  return taken.includes(name) ? texts.nameTaken : undefined;
}

const isHttpUrl = (text: string): boolean => URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol);
