import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import type { Environment } from '../../shared/contract/app.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/**
 * With play money the owner's passphrase may come from the file that `BURSAR_PASSPHRASE_FILE` names; with real money never, because an
 * agent with a shell could read that file too.
 */
export function passphraseFromFile(environment: Environment): string | undefined {
  const file = process.env['BURSAR_PASSPHRASE_FILE'];
  if (!file) return undefined;
  if (environment === 'mainnet') {
    process.stderr.write('bursar: BURSAR_PASSPHRASE_FILE is ignored with real money.\n');
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new BursarError('INPUT_INVALID', `The file ${file} that BURSAR_PASSPHRASE_FILE names cannot be read (${code}).`, { hint: 'Correct the variable, or unset it.', cause });
  }
}

/** The owner's passphrase: from the file where that is allowed, else typed on the terminal. Throws `OWNER_REQUIRED` where nobody can be asked. */
export const readPassphrase = async (environment: Environment): Promise<string> => passphraseFromFile(environment) ?? askUnseen('Passphrase: ');

/** A first passphrase, typed twice on the terminal. Throws `INPUT_INVALID` where the two differ, `OWNER_REQUIRED` where nobody can be asked. */
export async function readFirstPassphrase(terminal: Terminal = process): Promise<string> {
  const passphrase = await askUnseen('New passphrase, at least 8 characters: ', terminal);
  if (passphrase !== (await askUnseen('The same again: ', terminal))) throw new BursarError('INPUT_INVALID', 'The two passphrases differ.', { hint: 'Nothing was set. Try again.' });
  return passphrase;
}

/** What of the process is asked. */
export type Terminal = Pick<NodeJS.Process, 'stderr'> & { readonly stdin: Readable & Pick<ReadStream, 'isTTY' | 'setRawMode'> };

/** Reads one line from the terminal without showing it. Throws `OWNER_REQUIRED` where standard input is no terminal. */
export async function askUnseen(question: string, { stdin, stderr }: Terminal = process): Promise<string> {
  if (!stdin.isTTY) throw new BursarError('OWNER_REQUIRED', 'This has to be typed on a terminal.', { hint: 'Run this command in a terminal.' });
  // First, or what is typed at once would be shown.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  let typed = '';
  try {
    // The next question reads on from the same terminal.
    for await (const chunk of stdin.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') return typed;
        if (character === '\u0003') throw new BursarError('OWNER_REQUIRED', 'No passphrase was given.');
        if (character === '\u007f' || character === '\b') typed = Array.from(typed).slice(0, -1).join('');
        else typed += character;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}
