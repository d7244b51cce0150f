import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { BackupWriter } from './backup-file.ts';

/** What lies in a backup, in this order. Whatever else a later version adds comes after it and is skipped by this one. */
export const ENTRIES = ['manifest', 'config', 'keys', 'database'] as const;
export type EntryName = (typeof ENTRIES)[number];

/** In front of each entry: four bytes with the length of this text, then the text. */
const EntryHead = z.strictObject({ name: z.string().max(40), size: z.int().nonnegative() });
const LENGTH_BYTES = 4;
const MOST_HEAD_BYTES = 1024;

/** Writes one entry; `pieces` have to be `size` bytes together. */
export async function writeEntry(writer: BackupWriter, name: EntryName, size: number, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const head = Buffer.from(JSON.stringify({ name, size } satisfies z.infer<typeof EntryHead>));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  await writer.write(length);
  await writer.write(head);
  let written = 0;
  for await (const piece of pieces) {
    written += piece.length;
    await writer.write(piece);
  }
  if (written !== size) throw new Error(`the entry ${name} has ${written} bytes and not ${size}`);
}

/** Takes an entry's bytes as they come. */
export interface EntrySink {
  begin(name: string, size: number): void;
  take(bytes: Uint8Array): Promise<void> | void;
}

/** Splits a content into its entries. Throws `BACKUP_CORRUPT` where it ends within one, or an entry is missing. */
export async function readEntries(path: string, content: AsyncIterable<Uint8Array>, sink: EntrySink): Promise<void> {
  const seen: string[] = [];
  let pending = Buffer.alloc(0);
  let left = 0;
  const corrupt = (why: string) => new BursarError('BACKUP_CORRUPT', `The backup ${path} ${why}.`, { context: { path } });
  for await (const piece of content) {
    let rest: Buffer = Buffer.concat([pending, piece]);
    while (rest.length > 0) {
      if (left === 0) {
        const head = headOf(rest);
        if (head === 'more') break;
        if (!head || seen.includes(head.name)) throw corrupt('holds something that Bursar did not write');
        seen.push(head.name);
        sink.begin(head.name, head.size);
        left = head.size;
        rest = rest.subarray(head.length);
        if (left === 0) continue;
      }
      const part = rest.subarray(0, left);
      left -= part.length;
      rest = rest.subarray(part.length);
      if (part.length > 0) await sink.take(part);
    }
    pending = Buffer.from(rest);
  }
  const missing = ENTRIES.filter((name) => !seen.includes(name));
  if (left > 0 || pending.length > 0 || missing.length > 0) throw corrupt(missing.length > 0 ? `holds no ${missing.join(', no ')}` : 'ends too early');
}

function headOf(bytes: Buffer): { readonly name: string; readonly size: number; readonly length: number } | 'more' | undefined {
  if (bytes.length < LENGTH_BYTES) return 'more';
  const length = bytes.readUInt32BE(0);
  if (length > MOST_HEAD_BYTES) return undefined;
  if (bytes.length < LENGTH_BYTES + length) return 'more';
  try {
    return { ...EntryHead.parse(JSON.parse(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length).toString())), length: LENGTH_BYTES + length };
  } catch {
    return undefined;
  }
}
