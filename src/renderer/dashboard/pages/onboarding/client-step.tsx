import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ClientKind, ClientRegistration } from '../../../../shared/contract/clients.ts';
import { clientStepTexts as texts, onboardingTexts } from '../../../texts/onboarding.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Loaded } from '../../parts/card.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';
import { RegisterDialog } from '../register-dialog.tsx';

/** The third step: Bursar in the file of a client that is here, shown before it is written. */
export function ClientStep({ onNext }: { readonly onNext: () => void }) {
  const clients = useRead('clients.list', {});
  const isRegistered = clients.data?.clients.some(({ state }) => state === 'registered') ?? false;
  const [registering, setRegistering] = useState<ClientKind>();
  return (
    <div className="grid grid-cols-1 gap-4">
      <p>{texts.note}</p>
      <Loaded query={clients} lines={3}>
        {(value) => {
          const here = value.clients.filter(({ state }) => state !== 'absent');
          return (
            <>
              {here.length === 0 ? (
                <p className="text-muted">{texts.none}</p>
              ) : (
                <ul className="grid grid-cols-1 gap-2">
                  {here.map((client) => (
                    <Row key={client.kind} client={client} onRegister={() => setRegistering(client.kind)} />
                  ))}
                </ul>
              )}
              <RegisterDialog client={value.clients.find(({ kind }) => kind === registering)} entries="all" onClose={() => setRegistering(undefined)} />
            </>
          );
        }}
      </Loaded>
      <div className="flex flex-wrap gap-2">
        <Button kind={isRegistered ? 'primary' : 'plain'} onClick={onNext}>
          {isRegistered ? onboardingTexts.next : onboardingTexts.later}
        </Button>
        <Link href="/connect" className={buttonClass()}>
          {texts.other}
        </Link>
      </div>
    </div>
  );
}

const Row = ({ client: { name, path, state }, onRegister }: { readonly client: ClientRegistration; readonly onRegister: () => void }) => (
  <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl bg-surface px-4 py-3">
    <div className="min-w-0">
      <p className="font-medium">{name}</p>
      <Untrusted text={path} className="font-mono text-sm text-muted" />
    </div>
    {state === 'unregistered' && (
      <Button kind="primary" aria-label={texts.registerIn(name)} onClick={onRegister}>
        {texts.register}
      </Button>
    )}
    {state === 'registered' && (
      <p className="flex items-center gap-1.5 text-ok">
        <CircleCheck aria-hidden="true" className="size-5" />
        {texts.registered}
      </p>
    )}
    {state === 'malformed' && <p className="text-danger">{texts.malformed}</p>}
  </li>
);
