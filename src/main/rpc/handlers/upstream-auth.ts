import type { UpstreamAuths } from '../../upstream-auth/upstream-auth.ts';
import type { Handlers } from '../router.ts';

export interface UpstreamAuthDeps {
  readonly auths: Pick<UpstreamAuths, 'begin' | 'ended' | 'signOut'>;
  /** Opens a page in the owner's browser, where the host can; else whoever asked opens it. */
  readonly openExternal?: (url: string) => void;
}

type Routes = 'upstreams.authorize' | 'upstreams.authorized' | 'upstreams.signOut';

export function upstreamAuthHandlers({ auths, openExternal }: UpstreamAuthDeps): Pick<Handlers, Routes> {
  return {
    'upstreams.authorize': async ({ name }, { surface }) => {
      const url = await auths.begin(name);
      // A window of Electron's opens nothing by itself; a terminal and a browser's page do.
      const opened = url !== '' && surface === 'dashboard' && openExternal !== undefined;
      if (opened) openExternal(url);
      return { url, opened };
    },
    'upstreams.authorized': ({ name, withinSeconds }) => auths.ended(name, withinSeconds * 1000),
    'upstreams.signOut': async ({ name }) => {
      await auths.signOut(name);
      return {};
    },
  };
}
