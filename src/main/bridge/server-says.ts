import { createMirroredArguments, type MirroredArguments } from './mcp-param-headers.ts';
import { scanPayload } from './scan.ts';

/** What a stdio server has said of itself in passing, as far as an HTTP server in its place has to act on it. */
export interface ServerSays {
  readonly mirrored: MirroredArguments;
  /** The protocol versions that its `server/discover` named; `undefined` before. */
  readonly versions: readonly string[] | undefined;
  /** Takes note of what the server sends while it answers a request of this method. */
  learn(method: string, message: string): void;
}

export function createServerSays(): ServerSays {
  const mirrored = createMirroredArguments();
  let versions: readonly string[] | undefined;
  return {
    mirrored,
    get versions() {
      return versions;
    },
    learn(method, message) {
      if (method === 'tools/list') mirrored.learn(message);
      if (method === 'server/discover') versions = versionsIn(message) ?? versions;
    },
  };
}

function versionsIn(message: string): readonly string[] | undefined {
  const result = scanPayload(message).messages[0]?.fields.result;
  if (result === undefined) return undefined;
  const value: unknown = JSON.parse(message.slice(result.start, result.end));
  const supportedVersions: unknown = typeof value === 'object' && value !== null && 'supportedVersions' in value ? value.supportedVersions : undefined;
  return Array.isArray(supportedVersions) && supportedVersions.every((version) => typeof version === 'string') ? supportedVersions : undefined;
}
