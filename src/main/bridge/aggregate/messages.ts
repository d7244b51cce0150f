import { textAt } from '../json-text.ts';
import { scanPayload, type MessageScan } from '../scan.ts';

/** One message of a server on its way to the client. */
export interface FromServer {
  readonly text: string;
  readonly message: MessageScan;
}

/** The messages of a payload, each with a text of its own. */
export function messagesOf(text: string): FromServer[] {
  const { batch, messages } = scanPayload(text);
  if (!batch) return messages.map((message) => ({ text, message }));
  return messages.flatMap(({ span }) => {
    const own = textAt(text, span);
    return scanPayload(own).messages.map((message) => ({ text: own, message }));
  });
}
