import type { UpstreamView } from '../../../shared/contract/upstreams.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { StoredUpstream } from '../../adapters/store/upstreams.ts';
import type { KnownServers } from '../../clients/known-servers.ts';
import { pastedServers, transportsInPaste } from '../../clients/pasted-servers.ts';
import type { Upstreams } from '../../upstreams.ts';
import type { Handlers } from '../router.ts';

export interface UpstreamPasteDeps {
  readonly upstreams: Pick<Upstreams, 'add' | 'remove'>;
  readonly known: KnownServers;
  readonly view: (stored: StoredUpstream) => UpstreamView;
  readonly upstreamChanged: (name: string) => Promise<void>;
}

type Routes = 'upstreams.readPaste' | 'upstreams.addPasted';

/** Servers out of a text that was made for some client. It is read anew to add them, so that no secret of it goes back to a page. */
export const pasteHandlers = ({ upstreams, known, view, upstreamChanged }: UpstreamPasteDeps): Pick<Handlers, Routes> => ({
  'upstreams.readPaste': ({ text }) => ({ servers: [...pastedServers(text, known)] }),
  'upstreams.addPasted': async ({ text, add }) => {
    const transports = transportsInPaste(text, add.map(({ entry }) => entry), known);
    const names = add.map(({ name }) => name);
    const taken = names.find((name, index) => known.isTaken(name) || names.indexOf(name) < index);
    if (taken !== undefined) throw new BursarError('INPUT_INVALID', `There is a server "${taken}" already.`, { context: { upstream: taken } });
    const added: UpstreamView[] = [];
    try {
      for (const [index, transport] of transports.entries()) added.push(view(await upstreams.add(names[index] ?? '', transport)));
    } catch (error) {
      for (const { name } of added) await upstreams.remove(name);
      throw error;
    }
    for (const name of names) await upstreamChanged(name);
    return { added };
  },
});
