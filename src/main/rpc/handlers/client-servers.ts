import type { ForeignServers } from '../../clients/foreign-servers.ts';
import { previewView } from '../../clients/preview-view.ts';
import type { Protections } from '../../clients/protection.ts';
import type { Upstreams } from '../../upstreams.ts';
import type { Handlers } from '../router.ts';

export interface ClientServerDeps {
  readonly servers: ForeignServers;
  readonly protections: Protections;
  readonly upstreams: Pick<Upstreams, 'add'>;
  readonly upstreamChanged: (name: string) => Promise<void>;
  readonly changed: () => void;
}

type Routes = 'clients.importable' | 'clients.import' | 'clients.previewProtect' | 'clients.protect' | 'clients.unprotect';

/** Servers that stand in clients' files: taken over, or put behind Bursar where they stand. */
export function clientServerHandlers({ servers, protections, upstreams, upstreamChanged, changed }: ClientServerDeps): Pick<Handlers, Routes> {
  return {
    'clients.importable': async () => ({ servers: [...(await servers.list())] }),
    'clients.import': async ({ kind, name }) => {
      const { upstream, transport, isKnown } = await servers.fit(kind, name);
      if (!isKnown) {
        await upstreams.add(upstream, transport);
        await upstreamChanged(upstream);
        changed();
      }
      return { upstream };
    },
    'clients.previewProtect': async ({ kind, name }) => {
      const { server, ...preview } = await protections.preview(kind, name);
      return { ...previewView(preview, server.file.shape, (concerned) => concerned === name), upstream: server.upstream };
    },
    'clients.protect': async ({ kind, name, digest }) => {
      await protections.protect(kind, name, digest);
      changed();
      return servers.view(kind, name);
    },
    'clients.unprotect': async ({ kind, name }) => {
      await protections.unprotect(kind, name);
      changed();
      return {};
    },
  };
}
