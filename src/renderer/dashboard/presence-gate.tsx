import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { PresenceChallenge, PresenceMethod } from '../../shared/contract/presence.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { Link } from '../client/link.ts';
import { prove, stopCeremony, type UnprovenAct } from '../client/prove.ts';
import { presenceTexts as texts } from '../texts/presence.ts';
import { Button } from './parts/button.tsx';
import { ErrorCallout } from './parts/callout.tsx';
import { Dialog } from './parts/dialog.tsx';
import { TextField } from './parts/field.tsx';

type AskPresence = (act: UnprovenAct) => Promise<boolean>;

const PresenceContext = createContext<AskPresence | undefined>(undefined);

/** Asks the owner for proof that they are there, for one act; resolves to false when they give up. */
export function useAskPresence(): AskPresence {
  const ask = useContext(PresenceContext);
  if (!ask) throw new Error('no presence gate above this component');
  return ask;
}

interface Asking {
  readonly act: UnprovenAct;
  readonly settle: (proven: boolean) => void;
}

/** Holds the dialog that asks for proof of presence, for everything below. Whoever asks while it is open is told no. */
export function PresenceGate({ link, children }: { readonly link: Link; readonly children: ReactNode }) {
  const [asking, setAsking] = useState<Asking>();
  const open = useRef(false);

  const ask = useCallback<AskPresence>((act) => {
    if (open.current) return Promise.resolve(false);
    open.current = true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setAsking({ act, settle: resolve });
    return promise;
  }, []);

  const settle = useMemo(
    () => (proven: boolean) => {
      open.current = false;
      asking?.settle(proven);
      setAsking(undefined);
    },
    [asking],
  );

  return (
    <PresenceContext value={ask}>
      {children}
      <Dialog open={asking !== undefined} title={texts.title} onClose={() => settle(false)}>
        {asking && <PresenceForm link={link} act={asking.act} onDone={settle} />}
      </Dialog>
    </PresenceContext>
  );
}

/** Errors after which the same challenge is answered again. */
const AGAIN = ['PASSPHRASE_WRONG', 'PASSPHRASE_BUSY'];

function PresenceForm({ link, act, onDone }: { readonly link: Link; readonly act: UnprovenAct; readonly onDone: (proven: boolean) => void }) {
  const [methods, setMethods] = useState<readonly PresenceMethod[]>([]);
  const [method, setMethod] = useState<PresenceMethod>();
  const [passphrase, setPassphrase] = useState('');
  const [busy, setBusy] = useState(true);
  const [stopped, setStopped] = useState(false);
  const [error, setError] = useState<ErrorInfo>();
  const asked = useRef<PresenceChallenge>(undefined);
  const done = useRef(onDone);
  done.current = onDone;

  const tryWith = useCallback(
    async (how: PresenceMethod | undefined, typed: string, isGone: () => boolean) => {
      setBusy(true);
      setError(undefined);
      setStopped(false);
      if (!asked.current) {
        const reply = await link.request('presence.begin', act);
        if (isGone()) return;
        if (!reply.ok) {
          setError(reply.error);
          setBusy(false);
          return;
        }
        asked.current = reply.value;
        setMethods(reply.value.methods);
      }
      const challenge = asked.current;
      const chosen = how ?? challenge.methods[0] ?? 'passphrase';
      setMethod(chosen);
      // The first look only finds out how; a passphrase has to be typed first.
      const tried = chosen === 'passphrase' && typed === '' ? undefined : await prove(link, challenge, chosen, typed);
      if (isGone()) return;
      setBusy(false);
      setPassphrase('');
      if (tried?.kind === 'proven') return done.current(true);
      setStopped(tried?.kind === 'stopped');
      if (tried?.kind === 'refused') setError(tried.error);
      if (tried && (tried.kind === 'stopped' || (tried.kind === 'refused' && !AGAIN.includes(tried.error.code)))) asked.current = undefined;
    },
    [link, act],
  );

  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    void tryWith(undefined, '', () => gone.current);
    return () => {
      gone.current = true;
      stopCeremony();
    };
  }, [tryWith]);

  const isGone = () => gone.current;
  const wrong = error !== undefined && AGAIN.includes(error.code);
  return (
    <form
      className="grid gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && (method !== 'passphrase' || passphrase !== '')) void tryWith(method, passphrase, isGone);
      }}
    >
      <p className="text-muted" role="status">
        {method === undefined ? texts.preparing : busy && method !== 'passphrase' ? texts.waiting[method] : texts.why[method]}
      </p>
      {stopped && <p role="alert">{texts.stopped}</p>}
      {error && !wrong && <ErrorCallout error={error} />}
      {method === 'passphrase' && (
        <TextField label={texts.passphrase} type="password" autoComplete="off" value={passphrase} onChange={setPassphrase} required maxLength={1024} problem={wrong ? error.message : undefined} />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => onDone(false)}>{texts.back}</Button>
        {method !== 'passphrase' && methods.includes('passphrase') && (
          <Button disabled={busy} onClick={() => setMethod('passphrase')}>
            {texts.usePassphrase}
          </Button>
        )}
        <Button kind="primary" type="submit" disabled={busy || (method === 'passphrase' && passphrase === '')}>
          {busy ? texts.checking : method === undefined || method === 'passphrase' ? texts.confirm : texts.use[method]}
        </Button>
      </div>
    </form>
  );
}
