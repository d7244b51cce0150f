import type { z } from 'zod';
import type { Track } from '../../../core/ports.ts';
import { BursarError } from '../../../shared/errors/errors.ts';

/** A journal row's track. Throws `DATABASE_CORRUPT`: guessing at a part that is missing could call live money dead. */
export function readTrack<T>(shape: z.ZodType<T>, track: Track): T {
  const read = shape.safeParse(track);
  if (!read.success) throw new BursarError('DATABASE_CORRUPT', 'The payment cannot be followed, because its row in the journal cannot be read.');
  return read.data;
}
