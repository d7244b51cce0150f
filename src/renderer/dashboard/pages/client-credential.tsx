import type { NewCredential } from '../../../shared/contract/client-access.ts';
import { clientTexts as texts } from '../../texts/clients.ts';
import { Button } from '../parts/button.tsx';
import { Callout } from '../parts/callout.tsx';
import { CopyButton, Untrusted } from '../parts/texts.tsx';

/** A credential, this once. */
export function ShownCredential({ credential, onDone }: { readonly credential: NewCredential; readonly onDone: () => void }) {
  return (
    <div className="grid gap-4">
      <Callout tone="warn" role="status">
        {texts.once}
      </Callout>
      <dl className="grid gap-3">
        {credential.credential === 'key' ? (
          <Secret label={texts.key} text={credential.token} />
        ) : (
          <>
            <Secret label={texts.clientId} text={credential.clientId} />
            <Secret label={texts.secret} text={credential.clientSecret} />
            {credential.tokenUrl && <Secret label={texts.tokenUrl} text={credential.tokenUrl} />}
          </>
        )}
      </dl>
      {credential.credential === 'key' && <p className="text-sm text-muted">{texts.keyNote}</p>}
      <div className="flex justify-end">
        <Button kind="primary" onClick={onDone}>
          {texts.done}
        </Button>
      </div>
    </div>
  );
}

function Secret({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex items-start justify-between gap-2">
        <Untrusted text={text} className="min-w-0 font-mono text-sm" />
        <CopyButton text={text} what={label.toLowerCase()} />
      </dd>
    </div>
  );
}
