/** What Bursar knows of an MCP client. */
export interface ClientProfile {
  /** How long (ms) a call may go unanswered before the client gives it up by itself, less a margin for the way back. */
  readonly answerWithinMs: number;
}

/** For clients that say nothing of themselves: the MCP SDKs give a request up after 60 s. */
const DEFAULT_PROFILE: ClientProfile = { answerWithinMs: 50_000 };

/** The owner at a terminal waits as long as a decision may take, less a margin. */
const OWNER_PROFILE: ClientProfile = { answerWithinMs: 570_000 };

/**
 * Known clients by the beginning of the name under which they are registered. Claude's desktop apps cut a call after 60 s or 240 s,
 * depending on their version, and Codex after 60 s (`tool_timeout_sec`): they stay at the default. Gemini CLI waits ten minutes.
 */
const KNOWN: readonly (readonly [prefix: string, profile: ClientProfile])[] = [['gemini', { answerWithinMs: 540_000 }]];

/** The profile of a client by its registered name. */
export function clientProfile(client: string): ClientProfile {
  if (client === 'cli') return OWNER_PROFILE;
  const name = client.toLowerCase();
  return KNOWN.find(([prefix]) => name.startsWith(prefix))?.[1] ?? DEFAULT_PROFILE;
}
