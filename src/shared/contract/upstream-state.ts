import { z } from 'zod';
import { route } from './route.ts';
import { UpstreamView } from './upstreams.ts';
import { Empty, Timestamp, UpstreamName } from './values.ts';

/** How a server is, as far as Bursar has used it since it started. */
export const ServerHealth = z.object({
  name: UpstreamName,
  /** `restarting`: it ended and is started again in a moment; `stopped`: nobody uses it now, the next message starts it. */
  state: z.enum(['running', 'restarting', 'stopped']),
  /** Processes or connections that are open: each session of a client has its own. */
  links: z.number().int().nonnegative(),
  starts: z.number().int().nonnegative(),
  /** When it was started last. */
  startedAt: Timestamp.optional(),
  /** The last thing that went wrong; without secrets. */
  lastError: z.object({ at: Timestamp, code: z.string(), message: z.string() }).optional(),
});
export type ServerHealth = z.infer<typeof ServerHealth>;

/** One line of a server's log. `stderr` is the server's own word, made safe to show. */
export const ServerLogLine = z.object({
  /** Rises with each line of any server. */
  number: z.number().int().positive(),
  at: Timestamp,
  kind: z.enum(['stderr', 'event', 'error']),
  text: z.string(),
  /** How often it was said in a row. */
  times: z.number().int().positive(),
});
export type ServerLogLine = z.infer<typeof ServerLogLine>;

/** A server in a text that was pasted, as Bursar would start or reach it. */
export const PastedServer = z.object({
  /** Its name in the text; a stranger's words, empty where it has none. */
  entry: z.string(),
  /** What it would be called here: a free name made of it. */
  name: UpstreamName,
  transport: z.enum(['http', 'stdio']).optional(),
  /** The whole address, or the program and each of its arguments, character by character: what nobody sees is written as `\u{202e}`. */
  words: z.array(z.string()),
  /** Names of its variables or headers, whose values are kept sealed. */
  secrets: z.array(z.string()),
  /** Why it cannot be added, or why it should be looked at closely; a sentence each. */
  problem: z.string().optional(),
  warnings: z.array(z.string()),
  /** The server behind Bursar that it is already. */
  known: UpstreamName.optional(),
});
export type PastedServer = z.infer<typeof PastedServer>;

export const MOST_PASTED_CHARACTERS = 256_000;
const Pasted = z.string().max(MOST_PASTED_CHARACTERS);

export const upstreamStateRoutes = {
  'upstreams.health': route('read', Empty, z.object({ servers: z.array(ServerHealth) })),
  /** The last lines of one server, oldest first; kept in memory, at most 200. Throws `UPSTREAM_UNKNOWN`. */
  'upstreams.logs': route('read', z.object({ name: UpstreamName, after: z.number().int().nonnegative().default(0) }), z.object({ lines: z.array(ServerLogLine) })),
  /** A server that is switched off is started for nobody, and is no part of what clients see. Throws `UPSTREAM_UNKNOWN`. */
  'upstreams.setEnabled': route('owner', z.object({ name: UpstreamName, enabled: z.boolean() }), UpstreamView),
  /** Reads a client's JSON or TOML. Adds nothing. Throws `INPUT_INVALID`, with `line` and `column` in its context where the text is malformed. */
  'upstreams.readPaste': route('read', z.object({ text: Pasted }), z.object({ servers: z.array(PastedServer) })),
  /** Adds servers of such a text, each under a name. All or none. Throws as `upstreams.readPaste` and `upstreams.add` do. */
  'upstreams.addPasted': route('owner', z.object({ text: Pasted, add: z.array(z.object({ entry: z.string().max(500), name: UpstreamName })).min(1).max(100) }), z.object({ added: z.array(UpstreamView) })),
} as const;
