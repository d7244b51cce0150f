import { z } from 'zod';
import { route } from './route.ts';
import { Empty, UpstreamName } from './values.ts';

/** How an upstream is reached. A header's value and a variable's value are secrets and never leave main. */
export const UpstreamTransport = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('http'), url: z.url({ protocol: /^https?$/ }), headers: z.record(z.string(), z.string()).default({}) }),
  z.strictObject({
    kind: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(32_768)).max(500).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
]);
export type UpstreamTransport = z.infer<typeof UpstreamTransport>;

export const UpstreamView = z.object({
  name: UpstreamName,
  kind: z.enum(['http', 'stdio']),
  /** URL, or the command line as it is run. */
  address: z.string(),
  enabled: z.boolean(),
  /** Where clients reach it over HTTP. */
  mcpUrl: z.string(),
});
export type UpstreamView = z.infer<typeof UpstreamView>;

export const upstreamRoutes = {
  'upstreams.list': route('read', Empty, z.object({ upstreams: z.array(UpstreamView) })),
  /** Throws `INPUT_INVALID` when the name is taken. */
  'upstreams.add': route('owner', z.object({ name: UpstreamName, transport: UpstreamTransport }), UpstreamView),
  'upstreams.remove': route('owner', z.object({ name: UpstreamName }), Empty),
} as const;
