import { createInterface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { BursarError } from '../../shared/errors/errors.ts';

/** True where a person can read what stands here and type an answer. Any program can make such a terminal: it proves nobody. */
export const isAtTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

const givenUp = () => new BursarError('APPROVAL_CANCELLED', 'Nothing was decided.', { hint: 'The payment still waits.' });

/** Waits, and throws away what is typed meanwhile: an answer counts from when it is asked for. Ctrl-C gives up. */
export async function waitUnheard(ms: number): Promise<void> {
  const { stdin } = process;
  const gaveUp = new AbortController();
  const onData = (chunk: Buffer) => {
    if (chunk.includes(3)) gaveUp.abort();
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdin.resume();
  try {
    await wait(ms, undefined, { signal: gaveUp.signal });
  } catch {
    throw givenUp();
  } finally {
    stdin.off('data', onData);
    stdin.pause();
    stdin.setRawMode(false);
  }
}

/** One line, shown as it is typed. Ctrl-C and Ctrl-D give up, with `stopped`. */
export async function askLine(question: string, stopped: () => BursarError = givenUp): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('SIGINT', () => terminal.close()).once('close', () => closed.abort());
  try {
    return await terminal.question(question, { signal: closed.signal });
  } catch {
    process.stderr.write('\n');
    throw stopped();
  } finally {
    terminal.close();
  }
}
