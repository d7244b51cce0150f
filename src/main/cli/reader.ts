/** True where whoever read standard output went away, as `| head` does. */
export const isReaderGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE';

/** A reader who goes away ends nothing with an error. */
export function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error) => {
    if (!isReaderGone(error)) throw error;
  });
}
