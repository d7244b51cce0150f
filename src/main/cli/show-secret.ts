import { BursarError } from '../../shared/errors/errors.ts';
import { askUnseen } from './passphrase.ts';

/** Throws `OWNER_REQUIRED` where a secret would go anywhere but onto a screen: into a file, a pipe, the log of a service. */
export function requireScreen(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new BursarError('OWNER_REQUIRED', 'A secret is shown on a terminal alone, and goes into no file and no pipe.', {
    hint: 'Run this command in a terminal. To keep everything in a file, make an encrypted one: bursar backup FILE',
  });
}

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[2J\u001b[H';
const BACK = '\u001b[2J\u001b[?1049l';

/** Shows lines on a screen of their own, which leaves nothing in the terminal's scrollback, until Enter is pressed. */
export async function showSecret(lines: readonly string[]): Promise<void> {
  process.stdout.write(ALTERNATE_SCREEN);
  try {
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    await askUnseen('\nPress Enter to wipe it from the screen. ');
  } catch {
    // Ctrl-C wipes it too.
  } finally {
    process.stdout.write(BACK);
  }
}
