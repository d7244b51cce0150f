import { spawn } from 'node:child_process';
import { entryOf } from './app-process.ts';

/** A command in a terminal of its own, made by `script` (util-linux): what it prints, and keys to press. Linux alone has that form of it. */
export interface Terminal {
  /** Resolves once the text was printed, after whatever was waited for before. */
  saw(text: string): Promise<void>;
  type(keys: string): void;
  /** All that was printed so far. */
  printed(): string;
  readonly exited: Promise<number>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs `bursar` with these words. */
export function openTerminal(words: readonly string[], env: Readonly<Record<string, string>> = {}): Terminal {
  const command = [process.execPath, entryOf('cli.js'), ...words].map(quoted).join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  let text = '';
  let from = 0;
  let check = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    check();
  });
  const exited = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  return {
    exited,
    printed: () => text,
    type: (keys) => void child.stdin.write(keys),
    saw: (wanted) =>
      new Promise((resolve, reject) => {
        check = () => {
          const at = text.indexOf(wanted, from);
          if (at < 0) return;
          from = at + wanted.length;
          resolve();
        };
        check();
        void exited.then(() => reject(new Error(`the command ended without "${wanted}": ${text}`)));
      }),
  };
}
