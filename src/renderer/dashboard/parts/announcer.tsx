import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';

type Announce = (words: string, kind?: 'done' | 'failure') => void;

const AnnounceContext = createContext<Announce>(() => undefined);

/** Says something short: shown for a few seconds and read aloud. */
export const useAnnounce = (): Announce => useContext(AnnounceContext);

const SHOWN_FOR = 4_000;

/** Gives everything below a voice. */
export function Announcer({ children }: { readonly children: ReactNode }) {
  const [message, setMessage] = useState<{ readonly words: string; readonly kind: 'done' | 'failure' }>();
  const announce = useCallback<Announce>((words, kind = 'done') => setMessage({ words, kind }), []);

  useEffect(() => {
    if (!message) return undefined;
    const timer = setTimeout(() => setMessage(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [message]);

  return (
    <AnnounceContext value={announce}>
      {children}
      {/* Said aloud while a dialog is open too: what hides the page from a screen reader spares what is marked as live. */}
      <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-20 z-50 flex justify-center px-4">
        {message && <p className={`rounded-full px-4 py-2 text-sm shadow-lg ${message.kind === 'failure' ? 'bg-danger-soft text-danger' : 'bg-ink text-canvas'}`}>{message.words}</p>}
      </div>
    </AnnounceContext>
  );
}
