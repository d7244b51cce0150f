import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { Link } from '../client/link.ts';
import { commonTexts } from '../texts/common.ts';
import { layoutTexts, ownerTexts as texts } from '../texts/dashboard.ts';
import { Button } from './parts/button.tsx';
import { Callout, ErrorCallout } from './parts/callout.tsx';
import { Dialog } from './parts/dialog.tsx';
import { TextField } from './parts/field.tsx';

type Dialogue = 'unlock' | 'set';
type AskOwner = () => Promise<boolean>;

interface OwnerGateValue {
  /** Asks for the passphrase, or for a first one where none is set. True once main accepted it. */
  readonly askOwner: AskOwner;
  /** Opens the dialog for the first passphrase. */
  readonly askForFirst: AskOwner;
}

const OwnerGateContext = createContext<OwnerGateValue | undefined>(undefined);

function useGate(): OwnerGateValue {
  const gate = useContext(OwnerGateContext);
  if (!gate) throw new Error('no owner gate above this component');
  return gate;
}

/** Asks the owner for the passphrase; resolves to false when they give up. */
export const useAskOwner = (): AskOwner => useGate().askOwner;

/** Asks the owner for a first passphrase; resolves to false when they give up. */
export const useAskForFirstPassphrase = (): AskOwner => useGate().askForFirst;

/** Holds the two passphrase dialogs for everything below. One is open at a time; whoever asks meanwhile shares its outcome. */
export function OwnerGate({ link, children }: { readonly link: Link; readonly children: ReactNode }) {
  const [dialogue, setDialogue] = useState<Dialogue>();
  const open = useRef<{ readonly outcome: Promise<boolean>; readonly settle: (accepted: boolean) => void }>(undefined);

  const ask = useCallback((kind: Dialogue): Promise<boolean> => {
    if (!open.current) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      open.current = { outcome: promise, settle: resolve };
      setDialogue(kind);
    }
    return open.current.outcome;
  }, []);

  const settle = useCallback((accepted: boolean) => {
    open.current?.settle(accepted);
    open.current = undefined;
    setDialogue(undefined);
  }, []);

  const value = useMemo<OwnerGateValue>(
    () => ({
      async askOwner() {
        const status = await link.request('owner.status', {});
        return ask(status.ok && !status.value.passphraseSet ? 'set' : 'unlock');
      },
      askForFirst: () => ask('set'),
    }),
    [link, ask],
  );

  return (
    <OwnerGateContext value={value}>
      {children}
      <Dialog open={dialogue === 'unlock'} title={texts.unlockTitle} onClose={() => settle(false)}>
        <UnlockForm link={link} onDone={settle} />
      </Dialog>
      <Dialog open={dialogue === 'set'} title={texts.setTitle} onClose={() => settle(false)}>
        <FirstPassphraseForm link={link} onDone={settle} />
      </Dialog>
    </OwnerGateContext>
  );
}

interface FormProps {
  readonly link: Link;
  readonly onDone: (accepted: boolean) => void;
}

function UnlockForm({ link, onDone }: FormProps) {
  const [passphrase, setPassphrase] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorInfo>();

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    const reply = await link.request('owner.unlock', { passphrase });
    setBusy(false);
    setPassphrase('');
    if (reply.ok) onDone(true);
    else setError(reply.error);
  }

  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <p className="text-muted">{texts.unlockNote}</p>
      {error && <ErrorCallout error={error} />}
      <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} required maxLength={1024} />
      <Buttons busy={busy} confirm={busy ? commonTexts.unlocking : commonTexts.unlock} cancel={layoutTexts.cancel} onCancel={() => onDone(false)} disabled={passphrase === ''} />
    </form>
  );
}

const SHORTEST = 8;

function FirstPassphraseForm({ link, onDone }: FormProps) {
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [code, setCode] = useState('');
  const [codeNeeded, setCodeNeeded] = useState(false);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorInfo>();
  const tooShort = passphrase.length < SHORTEST;
  const different = passphrase !== again;
  const codeMissing = codeNeeded && code.trim() === '';

  useEffect(() => {
    void link.request('owner.status', {}).then((status) => status.ok && setCodeNeeded(status.value.setupCodeNeeded === true));
  }, [link]);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (tooShort || different || codeMissing) return;
    setBusy(true);
    const set = await link.request('owner.setPassphrase', { passphrase, ...(codeNeeded && { code }) });
    // Setting one opens no owner session by itself; whoever just typed it should not be asked for it at once.
    const reply = set.ok && set.value.sessionNeeded && set.value.sessionUntil === undefined ? await link.request('owner.unlock', { passphrase }) : set;
    setBusy(false);
    if (reply.ok) onDone(true);
    else setError(reply.error);
  }

  return (
    <form className="grid gap-4" noValidate onSubmit={(event) => void submit(event)}>
      <p className="text-muted">{texts.setNote}</p>
      <Callout tone="warn">{texts.setWarning}</Callout>
      {error && <ErrorCallout error={error} />}
      <TextField label={commonTexts.passphrase} type="password" autoComplete="new-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={tried && tooShort ? texts.tooShort : undefined} />
      <TextField label={texts.repeat} type="password" autoComplete="new-password" value={again} onChange={setAgain} maxLength={1024} problem={tried && !tooShort && different ? texts.different : undefined} />
      {codeNeeded && (
        <div className="grid gap-1">
          <TextField label={texts.code} type="text" autoComplete="off" placeholder="XXXX-XXXX-XXXX-XXXX" value={code} onChange={setCode} maxLength={64} problem={tried && codeMissing ? texts.codeMissing : undefined} />
          <p className="text-sm text-muted">{texts.codeNote}</p>
        </div>
      )}
      <Buttons busy={busy} confirm={busy ? texts.setting : texts.set} cancel={texts.later} onCancel={() => onDone(false)} disabled={false} />
    </form>
  );
}

interface ButtonsProps {
  readonly busy: boolean;
  readonly confirm: string;
  readonly cancel: string;
  readonly disabled: boolean;
  readonly onCancel: () => void;
}

function Buttons({ busy, confirm, cancel, disabled, onCancel }: ButtonsProps) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>{cancel}</Button>
      <Button kind="primary" type="submit" disabled={busy || disabled}>
        {confirm}
      </Button>
    </div>
  );
}
