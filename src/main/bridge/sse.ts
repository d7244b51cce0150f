import { gatherText } from '../gather.ts';

/** One server-sent event. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
  /** Reconnection time in milliseconds, where the event set one. */
  readonly retry: number | undefined;
}

/** Is this the media type of such a stream? Compared without case (RFC 9110, section 8.3.1). */
export const isEventStream = (contentType: string | undefined): boolean => /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType ?? '');

/** Timers turn what is longer into no wait at all. */
const LONGEST_RETRY_MS = 2 ** 31 - 1;

/** A line or event grew beyond the limit. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError';
}

/**
 * Reads `text/event-stream` (WHATWG HTML, section 9.2) from decoded chunks.
 *
 * @throws {EventTooLargeError} once `maxLength` UTF-16 units are held without an end.
 */
export function sseReader(maxLength: number, onEvent: (event: ServerSentEvent) => void): (chunk: string) => void {
  let held: string[] = [];
  let heldLength = 0;
  let data: string[] = [];
  let dataLength = 0;
  let event = '';
  let id: string | undefined;
  let retry: number | undefined;
  let afterReturn = false;
  let first = true;

  const dispatch = (): void => {
    if (data.length > 0 || id !== undefined || retry !== undefined) onEvent({ event: event === '' ? 'message' : event, data: data.join(''), id, retry });
    data = [];
    dataLength = 0;
    event = '';
    id = undefined;
    retry = undefined;
  };

  const takeLine = (line: string): void => {
    if (line === '') return dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (field === 'data') {
      // With the line end that it is joined by: lines without a character are something, too.
      dataLength += value.length + 1;
      gatherText(data, data.length === 0 ? value : `\n${value}`);
    } else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retry = Math.min(Number(value), LONGEST_RETRY_MS);
  };

  return (chunk) => {
    let start = 0;
    if (first && chunk !== '') {
      first = false;
      if (chunk.charCodeAt(0) === 0xfeff) start = 1;
    }
    // A line feed that completes a CR LF cut by the chunk border.
    if (afterReturn && chunk.charCodeAt(start) === 0x0a) start++;
    if (chunk !== '') afterReturn = chunk.endsWith('\r');
    let feed = chunk.indexOf('\n', start);
    let carriage = chunk.indexOf('\r', start);
    while (feed >= 0 || carriage >= 0) {
      const lineEnd = carriage < 0 || (feed >= 0 && feed < carriage) ? feed : carriage;
      const rest = chunk.slice(start, lineEnd);
      const line = held.length === 0 ? rest : held.join('') + rest;
      held = [];
      heldLength = 0;
      start = lineEnd + (lineEnd === carriage && feed === lineEnd + 1 ? 2 : 1);
      if (feed >= 0 && feed < start) feed = chunk.indexOf('\n', start);
      if (carriage >= 0 && carriage < start) carriage = chunk.indexOf('\r', start);
      if (dataLength + line.length > maxLength) throw new EventTooLargeError();
      takeLine(line);
    }
    if (start < chunk.length) {
      gatherText(held, chunk.slice(start));
      heldLength += chunk.length - start;
      if (heldLength + dataLength > maxLength) throw new EventTooLargeError();
    }
  };
}

/** One event that carries a one-line payload, and the id by which the stream is resumed after it. */
export const sseEvent = (line: string, id?: string): string => (id === undefined ? `event: message\ndata: ${line}\n\n` : `id: ${id}\nevent: message\ndata: ${line}\n\n`);

/** The event that starts a stream that can be resumed: an id, when to come back, and no data (MCP 2025-11-25). */
export const sseStart = (id: string, retryMs: number): string => `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
