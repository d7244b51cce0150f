import type { AuthorizationView } from '../../../shared/contract/upstreams.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { useAct } from '../server-state.tsx';

const SIGNED_OUT: readonly AuthorizationView['state'][] = ['needed', 'offered', 'signing-in'];

/** How it stands with the tokens of a server, and the owner's way to get or forget them. */
export function ServerSignIn({ upstream, authorization }: { readonly upstream: string; readonly authorization: AuthorizationView }) {
  const signIn = useAct('upstreams.authorize');
  const signOut = useAct('upstreams.signOut');
  const { state, why, kind } = authorization;
  const failed = signIn.error ?? signOut.error;
  return (
    <div className="mt-1 text-sm">
      <p className="text-muted">{texts.authorization[state]}</p>
      {why !== '' && (
        <p>
          <Untrusted text={why} />
        </p>
      )}
      <div className="mt-1 flex flex-wrap items-center gap-2">
        {kind === 'oauth' && SIGNED_OUT.includes(state) && (
          <Button disabled={signIn.isPending} aria-label={texts.signInTo(upstream)} onClick={() => signIn.mutate({ name: upstream })}>
            {signIn.isPending ? texts.signingIn : texts.signIn}
          </Button>
        )}
        {state === 'signing-in' && signIn.data && !signIn.data.opened && signIn.data.url !== '' && (
          <a href={signIn.data.url} target="_blank" rel="noopener noreferrer" className={buttonClass('primary')}>
            {texts.signInPage}
          </a>
        )}
        {kind === 'oauth' && state === 'signed-in' && (
          <Button disabled={signOut.isPending} aria-label={texts.signOutOf(upstream)} onClick={() => signOut.mutate({ name: upstream })}>
            {texts.signOut}
          </Button>
        )}
      </div>
      {failed && (
        <div className="mt-2">
          <ErrorCallout error={failed.info} />
        </div>
      )}
    </div>
  );
}
