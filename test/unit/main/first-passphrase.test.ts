import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askUnseen, readFirstPassphrase, type Terminal } from '../../../src/main/cli/passphrase.ts';

/** A terminal at which the lines are typed, each once it is asked for. */
function terminal(lines: readonly string[]) {
  const shown: string[] = [];
  const input = new PassThrough();
  const left = [...lines];
  const stdin = Object.assign(input, { isTTY: true, setRawMode: () => stdin }) as unknown as Terminal['stdin'];
  const stderr = { write: (text: string) => (shown.push(text), text.endsWith(': ') && setImmediate(() => input.write(left.shift() ?? ''))) } as unknown as Terminal['stderr'];
  return { stdin, stderr, shown };
}

test('a second question finds the terminal closed, or what was typed is shown', async () => {
  const asked = terminal(['CODE-1\r', 'corrext\u007f\u007fct horse\r', 'correct horse\n']);
  expect(await askUnseen('Setup code: ', asked)).toBe('CODE-1');
  expect(await readFirstPassphrase(asked)).toBe('correct horse');
  expect(asked.shown.join('')).not.toMatch(/CODE|horse/);
});

test('two passphrases that differ are taken', async () => {
  await expect(readFirstPassphrase(terminal(['correct horse\r', 'correct house\r']))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});
