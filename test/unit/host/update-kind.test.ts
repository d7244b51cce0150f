import { expect, test } from 'vitest';
import { updateKind } from '../../../src/main/host/update-kind.ts';

const feed = 'provider: generic\nurl: https://updates.example/bursar\nupdaterCacheDirName: bursar-updater\n';
const signed = `${feed}publisherName:\n  - Example GmbH\n`;

test('a program that nobody signed is replaced on Windows', () => {
  expect(updateKind(feed, 'win32')).toBe('notice');
  expect(updateKind(`${feed}publisherName:\n`, 'win32')).toBe('notice');
  expect(updateKind(`${feed}publisherName: # none\n`, 'win32')).toBe('notice');
  expect(updateKind(signed, 'win32')).toBe('install');
  expect(updateKind(`${feed}publisherName: 'Example GmbH'\n`, 'win32')).toBe('install');
});

test('a program is replaced on Linux, where nothing checks a signature', () => {
  expect(updateKind(signed, 'linux')).toBe('notice');
});

test('macOS, whose own updater holds the new program against the old one, is only told', () => {
  expect(updateKind(feed, 'darwin')).toBe('install');
});

test('a feed is read in the clear, or where there is none', () => {
  expect(updateKind(undefined, 'darwin')).toBeUndefined();
  expect(updateKind('', 'darwin')).toBeUndefined();
  expect(updateKind(signed.replace('https:', 'http:'), 'win32')).toBeUndefined();
  expect(updateKind('provider: github\nowner: o\nrepo: r\n', 'linux')).toBe('notice');
});
