import { Copy } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { commonTexts } from '../../../texts/common.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { copySecret } from '../../copy-secret.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { useLink } from '../../server-state.tsx';

/** How long a secret stays on screen (ms). Main keeps it out of screenshots for five minutes; it is gone before that ends. */
const SHOWN_FOR = 280_000;

interface ShownSecretProps {
  /** As it is copied. */
  readonly secret: string;
  /** What to take care of. */
  readonly warning?: string;
  readonly onClose: () => void;
  /** As it is shown. */
  readonly children: ReactNode;
}

/** A secret on screen: it can be copied for a minute, and main is told when it is gone. */
export function ShownSecret({ secret, warning = texts.secretWarning, onClose, children }: ShownSecretProps) {
  const link = useLink();
  const announce = useAnnounce();
  const close = useRef(onClose);
  const onScreen = useRef(false);

  useEffect(() => {
    close.current = onClose;
  }, [onClose]);

  useEffect(() => {
    const timer = setTimeout(() => close.current(), SHOWN_FOR);
    onScreen.current = true;
    return () => {
      clearTimeout(timer);
      onScreen.current = false;
      // An effect may be run anew (React's strict mode does) while the secret stays: main then has to go on protecting it.
      queueMicrotask(() => !onScreen.current && void link.request('secrets.hidden', {}));
    };
  }, [link]);

  async function copy() {
    try {
      // Reading the clipboard would make the browser ask; without it, it is cleared whatever it holds then.
      await copySecret(secret, { clipboard: { writeText: (text) => navigator.clipboard.writeText(text) }, onCleared: () => announce(texts.clipboardCleared) });
      announce(texts.copiedSecret);
    } catch {
      announce(commonTexts.copyFailed, 'failure');
    }
  }

  return (
    <div className="grid grid-cols-1 gap-4">
      <Callout tone="warn" role="status">
        {warning}
      </Callout>
      {children}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => void copy()}>
          <Copy aria-hidden="true" className="size-4" />
          {texts.copySecret}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {texts.hideNowSecret}
        </Button>
      </div>
    </div>
  );
}
