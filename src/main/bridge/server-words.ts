import type { SeenIn } from '../../core/policy/provenance.ts';
import { createSightings, type Sightings } from '../../core/policy/sightings.ts';
import type { WordsSource } from './payment-hook.ts';
import { toolCallParts } from './tool-call.ts';

/** Clients whose servers' words are remembered; the one that was silent longest goes first. */
const MOST_CLIENTS = 64;

/**
 * What servers told each client's agent of, over all of its connections: an agent reads with one server and pays another. Texts are read
 * after they were passed on, and before anything is looked up.
 */
export interface ServerWords {
  note(source: WordsSource, text: string): void;
  seenIn(client: string): SeenIn;
}

export function createServerWords(now: () => number): ServerWords {
  const byClient = new Map<string, Sightings>();
  let waiting: { readonly source: WordsSource; readonly text: string }[] = [];

  const sightingsOf = (client: string): Sightings => {
    const sightings = byClient.get(client) ?? createSightings(now);
    byClient.delete(client);
    const [silent] = byClient.keys();
    if (byClient.size >= MOST_CLIENTS && silent !== undefined) byClient.delete(silent);
    byClient.set(client, sightings);
    return sightings;
  };
  const read = () => {
    const texts = waiting;
    waiting = [];
    for (const { source, text } of texts) sightingsOf(source.client).note(text, () => placeOf(source));
  };

  return {
    note(source, text) {
      waiting.push({ source, text });
      if (waiting.length === 1) setImmediate(read);
    },
    seenIn: (client) => (reference) => {
      read();
      return sightingsOf(client).seenIn(reference);
    },
  };
}

function placeOf({ upstream, requestText, tool }: WordsSource): string {
  const called = tool ?? (requestText === undefined ? undefined : toolCallParts(requestText).tool);
  return called === undefined ? `a tool description of server "${upstream}"` : `a result of tool "${called}" of server "${upstream}"`;
}
