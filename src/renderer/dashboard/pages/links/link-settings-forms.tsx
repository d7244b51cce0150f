import { useState } from 'react';
import type { ClaimSettings } from '../../../../shared/contract/escrows.ts';
import { linkTexts as texts } from '../../../texts/links.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { useAct } from '../../server-state.tsx';

interface FormProps {
  readonly settings: ClaimSettings;
  readonly onClose: () => void;
}

/** A whole number within bounds; undefined where it is none. */
function wholeNumber(text: string, most: number): number | undefined {
  const value = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return value >= 1 && value <= most ? value : undefined;
}

/** Says what was done and closes. */
function useDone(onClose: () => void) {
  const announce = useAnnounce();
  return (words: string) => () => {
    announce(words);
    onClose();
  };
}

export function ClaimPageForm({ settings, onClose }: FormProps) {
  const save = useAct('escrows.setPage');
  const done = useDone(onClose);
  const [pageUrl, setPageUrl] = useState(settings.pageUrl);
  const [days, setDays] = useState(String(settings.expiryDays));
  const [tried, setTried] = useState(false);
  const expiryDays = wholeNumber(days, 365);
  const refused = save.error?.info.code === 'INPUT_INVALID' ? `${save.error.info.message} ${save.error.info.hint}`.trim() : undefined;
  const submit = () => {
    setTried(true);
    if (expiryDays !== undefined) save.mutate({ pageUrl: pageUrl.trim(), expiryDays }, { onSuccess: done(texts.saved) });
  };
  return (
    <ActForm onSubmit={submit} error={refused === undefined ? save.error?.info : undefined} busy={save.isPending} confirm={save.isPending ? texts.saving : texts.save} onClose={onClose}>
      <TextField label={texts.pageField} value={pageUrl} onChange={setPageUrl} autoComplete="off" spellCheck={false} maxLength={2000} note={texts.pageFieldNote} problem={refused} />
      <TextField label={texts.days} value={days} onChange={setDays} inputMode="decimal" autoComplete="off" maxLength={3} problem={tried && expiryDays === undefined ? texts.daysProblem : undefined} />
    </ActForm>
  );
}

type Security = keyof typeof texts.securities;

const SECURITIES: readonly Security[] = ['starttls', 'tls', 'plain'];
const PORTS: Readonly<Record<Security, string>> = { starttls: '587', tls: '465', plain: '25' };

const securityOf = (mail: ClaimSettings['mail']): Security => (mail?.plain ? 'plain' : mail?.secure ? 'tls' : 'starttls');

export function MailForm({ settings: { mail }, onClose }: FormProps) {
  const save = useAct('escrows.setMail');
  const done = useDone(onClose);
  const [host, setHost] = useState(mail?.host ?? '');
  const [security, setSecurity] = useState(securityOf(mail));
  const [port, setPort] = useState(String(mail?.port ?? PORTS.starttls));
  const [user, setUser] = useState(mail?.user ?? '');
  const [password, setPassword] = useState('');
  const [from, setFrom] = useState(mail?.from ?? '');
  const [tried, setTried] = useState(false);
  const number = wholeNumber(port, 65_535);
  const badFrom = save.error?.info.code === 'RECIPIENT_INVALID' || !from.includes('@');
  const choose = (next: Security) => {
    // A port that was the usual one before is the usual one after.
    if (port === PORTS[security]) setPort(PORTS[next]);
    setSecurity(next);
  };
  const submit = () => {
    setTried(true);
    if (host.trim() === '' || number === undefined || !from.includes('@')) return;
    save.mutate({ mail: { host: host.trim(), port: number, secure: security === 'tls', plain: security === 'plain', user: user.trim(), password, from: from.trim() } }, { onSuccess: done(texts.saved) });
  };
  return (
    <ActForm onSubmit={submit} error={save.error?.info.code === 'RECIPIENT_INVALID' ? undefined : save.error?.info} busy={save.isPending} confirm={save.isPending ? texts.saving : texts.save} onClose={onClose}>
      <p className="text-sm text-muted">{texts.mailNote}</p>
      <TextField label={texts.from} type="email" value={from} onChange={setFrom} autoComplete="off" maxLength={320} problem={tried && badFrom ? texts.fromProblem : undefined} />
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,1fr)] items-start gap-3">
        <TextField label={texts.host} value={host} onChange={setHost} autoComplete="off" spellCheck={false} maxLength={253} problem={tried && host.trim() === '' ? texts.hostProblem : undefined} />
        <TextField label={texts.port} value={port} onChange={setPort} inputMode="decimal" autoComplete="off" maxLength={5} problem={tried && number === undefined ? texts.portProblem : undefined} />
      </div>
      <SelectField label={texts.security} value={security} onChange={choose} options={SECURITIES.map((value) => ({ value, label: texts.securities[value] }))} />
      <TextField label={texts.user} value={user} onChange={setUser} autoComplete="off" spellCheck={false} maxLength={320} note={texts.userNote} />
      {user !== '' && <TextField label={texts.password} type="password" value={password} onChange={setPassword} autoComplete="off" maxLength={1000} />}
      {mail && (
        <div>
          <Button kind="quiet" disabled={save.isPending} onClick={() => save.mutate({ mail: null }, { onSuccess: done(texts.removed) })}>
            {texts.remove}
          </Button>
        </div>
      )}
    </ActForm>
  );
}

export function MailTestForm({ onClose }: Pick<FormProps, 'onClose'>) {
  const test = useAct('escrows.testMail');
  const done = useDone(onClose);
  const [to, setTo] = useState('');
  const address = to.trim();
  const submit = () => test.mutate(address === '' ? {} : { to: address }, { onSuccess: done(texts.tested(address)) });
  return (
    <ActForm onSubmit={submit} error={test.error?.info} busy={test.isPending} confirm={test.isPending ? texts.testing : texts.testNow} onClose={onClose}>
      <TextField label={texts.testTo} type="email" value={to} onChange={setTo} autoComplete="off" maxLength={320} note={texts.testToNote} />
    </ActForm>
  );
}
