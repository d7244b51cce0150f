import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findReferences, originsOf } from '../../../../src/core/policy/provenance.ts';
import { createSightings } from '../../../../src/core/policy/sightings.ts';

const EVM = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const SOLANA = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const URL = 'https://evil.example/pay';

describe('what servers tell', () => {
  test.each([
    ['an EVM address', `send it to ${EVM}, now`, EVM.toLowerCase()],
    ['one in other letters', EVM.toUpperCase().replace('0X', '0x'), EVM.toLowerCase()],
    ['a Solana address', `{"to":"${SOLANA}"}`, SOLANA],
    ['a Solana address that begins with zeros', '11111111111111111111111111111111', '11111111111111111111111111111111'],
    ['a web address', `see <a href="HTTPS://Evil.Example/pay/">`, URL],
    ['a web address at the end of a sentence', `Go to ${URL}.`, URL],
    ['one inside of JSON inside of JSON', JSON.stringify({ text: JSON.stringify({ url: URL, to: EVM }) }), URL],
    ['one with escaped slashes', 'https:\\/\\/evil.example\\/pay', URL],
    ['an address with escaped letters', EVM.replace('2', '\\u0032'), EVM.toLowerCase()],
  ])('is read past: %s', (_, text, reference) => {
    expect(findReferences(text)).toContain(reference);
  });

  test.each(['0x1234', `${EVM}00`, 'ftp://x.example', `${SOLANA}abcdef`, 'a'.repeat(64), 'QUJD'.repeat(100), 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz'])('is taken for an address: %s', (text) => {
    expect(findReferences(text)).toEqual([]);
  });

  test('takes minutes to read when it is made for that', () => {
    const started = performance.now();
    for (const part of ['0x', 'https://', '1', 'A', '\\', '\\u00']) findReferences(part.repeat(200_000));
    findReferences(`https://${'/'.repeat(200_000)}a`);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('is forgotten because a server told ever more', () => {
    const sightings = createSightings(() => 0);
    sightings.note(`pay ${EVM}`, () => 'a result of tool "t" of server "s"');
    sightings.note(Array.from({ length: 30_000 }, (_, index) => `https://a.example/${index}`).join(' '), () => 'another');
    expect(sightings.seenIn(EVM.toLowerCase())).toBe('a result of tool "t" of server "s"');
    expect(sightings.seenIn('https://never.example/')).toContain('more than can be remembered');
  });

  test('is remembered under the place where it stood last', () => {
    const sightings = createSightings(() => 0);
    sightings.note(EVM, () => 'first');
    sightings.note(EVM, () => 'second');
    expect(sightings.seenIn(EVM.toLowerCase())).toBe('first');
  });
});

test('an origin is missed, or said of what the owner paid before', () => {
  const seenIn = (reference: string) => (reference.startsWith('0x') || reference === URL ? 'a result' : '');
  const request = { payee: EVM, resource: 'mcp://tool/x', argumentsText: JSON.stringify({ page: URL, n: 1 }), seenIn, known: [] };
  expect(originsOf(request)).toEqual([
    { what: 'payee', value: EVM.toLowerCase(), where: 'a result' },
    { what: 'arguments', value: URL, where: 'a result' },
  ]);
  expect(originsOf({ ...request, known: [EVM, `{"page":"${URL}"}`] })).toEqual([]);
  expect(originsOf({ ...request, seenIn: () => '' })).toEqual([]);
});

test('an address is missed, or something else taken for one, because only every 32nd character is looked at', () => {
  const piece = fc.oneof(
    fc.constantFrom(' ', '"', '\n', '-', '_', 'é', '0x', 'word', 'x'.repeat(31), '1'.repeat(33)),
    fc.stringMatching(/^[0-9a-f]{40}$/),
    fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{30,46}$/),
    fc.stringMatching(/^[0-9A-Za-z]{1,70}$/),
  );
  const evm = /0x[0-9a-fA-F]{40}(?![0-9a-zA-Z])/g;
  const solana = /(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{32,44}(?![0-9A-Za-z])/g;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const found = new Set(findReferences(text));
      const evms = [...text.matchAll(evm)].map(([address]) => address.toLowerCase());
      const solanas = [...text.matchAll(solana)].map(([address]) => address);
      for (const address of evms) expect(found).toContain(address);
      for (const address of found) expect([...evms, ...solanas]).toContain(address);
      // Solana's are also told apart by how many bytes they hold: 43 and 44 digits without a leading 1 are 32 bytes.
      for (const address of solanas) if (/^[^1].{43}$/.test(address)) expect(found).toContain(address);
    }),
    { numRuns: 2_000 },
  );
});
