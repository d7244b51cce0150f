import { expect, test } from 'vitest';
import { childCommand } from '../../../src/main/bridge/child-command.ts';

test('nothing goes through a shell but what Windows can start no other way', () => {
  expect(childCommand('npx', ['-y', 'a;b'], 'linux')).toEqual({ file: 'npx', args: ['-y', 'a;b'], windowsVerbatimArguments: false });
  expect(childCommand('C:\\node.exe', ['a b'], 'win32')).toEqual({ file: 'C:\\node.exe', args: ['a b'], windowsVerbatimArguments: false });
});

/** What is left of a text after cmd.exe has read it once: a caret takes the meaning of the character after it. */
const readOnce = (text: string): string => text.replace(/\^(.)/g, '$1');

test.each(['plain', 'two words', 'a&b', '100%', 'say "hi"', 'C:\\dir\\', 'tail\\"', '^', ''])('an argument arrives as it was given: %s', (argument) => {
  const { file, args, windowsVerbatimArguments } = childCommand('npx', [argument], 'win32', 'cmd.exe');
  expect({ file, windowsVerbatimArguments, flags: args.slice(0, 3) }).toEqual({ file: 'cmd.exe', windowsVerbatimArguments: true, flags: ['/d', '/s', '/c'] });
  const line = args[3] ?? '';
  // No character that cmd.exe would act on is left without its caret at the first reading.
  expect(line.slice(1, -1).replace(/\^./g, '')).not.toMatch(/[&|<>%"!]/);
  const read = readOnce(readOnce(line.slice(1, -1))).slice('npx '.length);
  const unquoted = read.slice(1, -1).replace(/(\\*)$/, (slashes: string) => slashes.slice(slashes.length / 2)).replace(/(\\*)\\"/g, (_all, slashes: string) => `${slashes.slice(slashes.length / 2)}"`);
  expect(unquoted).toBe(argument);
});
