const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Where a {@link lineSplitter} delivers. */
export interface LineSink {
  /** One line without its end. Empty lines are left out. */
  onLine(line: string): void;
  /** A line grew beyond the limit; called once, and the splitter takes nothing more. */
  onTooLong(): void;
}

/** Takes chunks of UTF-8 bytes and cuts them into lines of at most `maxBytes`. Each byte is copied once at most. */
export function lineSplitter(maxBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let stopped = false;

  const emit = (line: Buffer): void => {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end > 0) sink.onLine(line.toString('utf8', 0, end));
  };

  return (chunk) => {
    let start = 0;
    while (!stopped) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline;
      if (heldBytes + end - start > maxBytes) {
        stopped = true;
        held = [];
        sink.onTooLong();
        return;
      }
      const part = chunk.subarray(start, end);
      if (newline < 0) {
        if (part.length > 0) held.push(part);
        heldBytes += part.length;
        return;
      }
      const line = held.length === 0 ? part : Buffer.concat([...held, part]);
      held = [];
      heldBytes = 0;
      start = newline + 1;
      emit(line);
    }
  };
}

/** Line breaks of a JSON text can only lie between its tokens; without them the text fits on one line. */
export const toOneLine = (json: string): string => (/[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json);
