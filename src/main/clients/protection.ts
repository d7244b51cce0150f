import { rm } from 'node:fs/promises';
import type { ClientKind } from '../../shared/contract/clients.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Protection } from '../adapters/store/protections.ts';
import { isInstalled } from './client-file.ts';
import type { ClientTokens } from './client-tokens.ts';
import { backupsOf, readConfigFile, textOf } from './config-file.ts';
import { serversIn, withEntry, withEntryText } from './config-text.ts';
import { reachedOtherwise } from './foreign-server.ts';
import { isTakenBy, type FitServer, type ForeignServers, type ForeignServersDeps } from './foreign-servers.ts';
import type { Registration } from './kinds/client-spec.ts';
import { clientSpec } from './kinds/kinds.ts';
import { makeChange, previewChange, type FilePreview } from './registration.ts';

export interface ProtectionDeps extends Pick<ForeignServersDeps, 'upstreams' | 'protections'> {
  readonly servers: ForeignServers;
  readonly tokens: ClientTokens;
  /** What starts the shim for one server. */
  readonly registration: (upstream: string, client: string, token: string) => Registration;
  /** Ends what runs to a server that came or went. */
  readonly upstreamChanged: (name: string) => Promise<void>;
  readonly now: () => Date;
}

export interface Protections {
  preview(kind: ClientKind, name: string): Promise<FilePreview & { readonly server: FitServer }>;
  protect(kind: ClientKind, name: string, digest: string): Promise<void>;
  unprotect(kind: ClientKind, name: string): Promise<void>;
}

/** Puts Bursar in the place of servers that stand in clients' files, and back. */
export function createServerProtections({ upstreams, protections, servers, tokens, registration, upstreamChanged, now }: ProtectionDeps): Protections {
  const plan = async (kind: ClientKind, name: string) => {
    const server = await servers.fit(kind, name);
    const spec = clientSpec(kind);
    const token = await tokens.offer(kind, server.file);
    const entry = reachedOtherwise(server.entry, spec.entry(registration(server.upstream, kind, token)));
    return { server, change: (text: string) => withEntry(text, name, entry, server.file.shape).text };
  };
  const forget = async ({ kind, name, upstream, madeUpstream }: Protection) => {
    protections.remove(kind, name);
    const isShared = protections.list().some((other) => other.upstream === upstream);
    if (!madeUpstream || isShared || !upstreams.find(upstream)) return;
    await upstreams.remove(upstream);
    await upstreamChanged(upstream);
  };

  return {
    async preview(kind, name) {
      const { server, change } = await plan(kind, name);
      return { server, ...(await previewChange(server.file, change)) };
    },
    async protect(kind, name, digest) {
      const { server, change } = await plan(kind, name);
      const { file, upstream, transport, isKnown } = server;
      const { before, digest: current } = await previewChange(file, change);
      if (current !== digest) throw new BursarError('APPROVAL_STALE', `${file.path} is not what was shown any more.`, { hint: 'Look at the preview again.' });
      const { replaced } = withEntry(before, name, {}, file.shape);
      // Kept before the file is written: a crash between leaves a server too many, never one too few.
      const madeBefore = protections.list().some((other) => other.upstream === upstream && other.madeUpstream);
      const protection: Protection = { kind, name, path: file.path, upstream, madeUpstream: !isKnown || madeBefore };
      if (!isKnown) await upstreams.add(upstream, transport);
      try {
        await protections.put(protection, replaced);
        await makeChange(file, change, digest, now());
      } catch (error) {
        await forget(protection);
        throw error;
      }
      tokens.keep(kind);
      if (!isKnown) await upstreamChanged(upstream);
    },
    async unprotect(kind, name) {
      const protection = protections.find(kind, name);
      if (!protection) throw new BursarError('NOT_FOUND', `The server ${JSON.stringify(name)} is not protected.`, { context: { client: kind } });
      const file = { path: protection.path, signs: [protection.path], shape: clientSpec(kind).shape };
      if (await isInstalled(file)) {
        const text = textOf(await readConfigFile(file.path));
        // What the owner has put there meanwhile stays.
        if (isTakenBy(serversIn(text, file.shape)[name], protection.upstream)) {
          const original = await protections.entryText(kind, name);
          const change = (current: string) => withEntryText(current, name, original, file.shape);
          const { digest } = await previewChange(file, change);
          await makeChange(file, change, digest, now());
          await dropBackups(file.path);
        }
      }
      await forget(protection);
      await tokens.release(kind, file);
    },
  };
}

/** Removes the backups that are no other than the file itself now. */
async function dropBackups(path: string): Promise<void> {
  const file = await readConfigFile(path);
  const backups = await backupsOf(file);
  const same = backups.findIndex(({ bytes }) => bytes.equals(file.bytes));
  if (same < 0) return;
  await Promise.all(backups.slice(same).map((each) => rm(each.path)));
}
