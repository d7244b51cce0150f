import { gatherBytes } from '../gather.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How much of an overlong line's start and end is kept to find its id. */
const END_BYTES = 1024;

/** Where a {@link byteLineSplitter} delivers. */
export interface ByteLineSink {
  /** One line without its end. Empty lines are left out. */
  onLine(line: Buffer): void;
  /** A line was longer than allowed and is left out. `idText` is its raw JSON-RPC id, where that stands at one of its ends. */
  onTooLong(idText: string | undefined): void;
}

/** Where a {@link lineSplitter} delivers. */
export interface LineSink extends Omit<ByteLineSink, 'onLine'> {
  /** One line without its end. Empty lines are left out. */
  onLine(line: string): void;
}

/** Takes chunks of UTF-8 bytes and cuts them into lines of at most `maxBytes`. */
export const lineSplitter = (maxBytes: number, { onLine, onTooLong }: LineSink): ((chunk: Buffer) => void) =>
  byteLineSplitter(maxBytes, { onLine: (line) => onLine(line.toString('utf8')), onTooLong });

/** The same without decoding. Each byte is copied once at most. */
export function byteLineSplitter(maxBytes: number, sink: ByteLineSink): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Start and end of a line that has grown too long. */
  let tooLong: { readonly start: Buffer; end: Buffer } | undefined;

  const emit = (line: Buffer): void => {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end > 0) sink.onLine(end === line.length ? line : line.subarray(0, end));
  };
  const shorten = (part: Buffer): void => {
    const all = Buffer.concat([tooLong?.end ?? Buffer.concat(held), part]);
    // Copies, so that the whole line is not kept alive by its ends.
    tooLong = { start: tooLong?.start ?? Buffer.from(all.subarray(0, END_BYTES)), end: Buffer.from(all.subarray(-END_BYTES)) };
    held = [];
    heldBytes = 0;
  };

  return (chunk) => {
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start);
      const part = chunk.subarray(start, newline < 0 ? chunk.length : newline);
      start += part.length + 1;
      if (tooLong !== undefined || heldBytes + part.length > maxBytes) {
        shorten(part);
        if (newline < 0 || tooLong === undefined) continue;
        const { start: head, end } = tooLong;
        tooLong = undefined;
        sink.onTooLong(idAtAnEnd(head.toString(), end.toString()));
      } else if (newline < 0) {
        gatherBytes(held, part);
        heldBytes += part.length;
      } else {
        const line = held.length === 0 ? part : Buffer.concat([...held, part]);
        held = [];
        heldBytes = 0;
        emit(line);
      }
    }
  };
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"[^"\\]{1,200}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`);
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);

/** Where every common implementation puts the id: beside the version at the start, or at the very end. */
export const idAtAnEnd = (start: string, end: string): string | undefined => (ID_FIRST.exec(start) ?? ID_LAST.exec(end))?.[1];

/** Line breaks of a JSON text can only lie between its tokens; without them the text fits on one line. */
export const toOneLine = (json: string): string => (json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json);
