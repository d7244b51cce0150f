import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../../src/core/json/canonical.ts';
import { parseJson, stringifyJson, toPlain } from '../../../../src/core/json/json.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';

describe('parseJson', () => {
  test('disagrees with JSON.parse about any valid document', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('rounds an integer beyond 2^53', () => {
    expect(stringifyJson(parseJson('{"id":9007199254740993,"wei":100000000000000000000000001}'))).toBe('{"id":9007199254740993,"wei":100000000000000000000000001}');
  });

  test.each(['{"a":1,"a":1}', '{"x":{"a":1,"a":2}}', '[{"a":1},{"a":1,"\\u0061":2}]'])('accepts a repeated key: %s', (text) => {
    expect(() => parseJson(text)).toThrow(/repeats the key/);
  });

  test('overflows the stack or recurses without end on deep nesting', () => {
    expect(() => parseJson('['.repeat(100_000))).toThrow(/nested too deeply/);
  });

  test('runs out of stack on a string of megabytes', () => {
    const text = JSON.stringify('a"\\'.repeat(2_000_000));
    expect(toPlain(parseJson(text))).toBe('a"\\'.repeat(2_000_000));
  });

  test('lets a __proto__ key change the prototype of the plain form', () => {
    const plain = toPlain(parseJson('{"__proto__":{"admin":true}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(plain['admin']).toBeUndefined();
    expect(Object.keys(plain)).toEqual(['__proto__']);
  });

  test('throws anything but JSON_INVALID on garbage, or accepts what JSON.parse refuses', () => {
    const garbage = fc.oneof(fc.string(), fc.json().map((text) => text.slice(1)), fc.stringMatching(/^[[\]{}",:0-9eE+.\-\\u]*$/));
    fc.assert(
      fc.property(garbage, (text) => {
        let parsed = true;
        try {
          parseJson(text);
        } catch (error) {
          expect(isBursarError(error, 'JSON_INVALID')).toBe(true);
          parsed = false;
        }
        if (parsed) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('canonicalJson', () => {
  test('orders keys otherwise than RFC 8785 section 3.2.3', () => {
    const text = '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji","\\u0080":"Control","\\u00f6":"o"}';
    expect(Object.keys(JSON.parse(canonicalJson(text)) as object)).toEqual(['1', '\r', '\u0080', 'ö', '€', '😀', '\ufb33']);
  });

  test('writes numbers otherwise than RFC 8785', () => {
    expect(canonicalJson('[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,1.0,-0.0]')).toBe('[333333333.3333333,1e+30,4.5,0.002,1e-27,1,0]');
  });

  test('makes two calls that differ beyond 2^53 look the same', () => {
    expect(canonicalJson('{"id":9007199254740992}')).not.toBe(canonicalJson('{"id":9007199254740993}'));
  });

  test('depends on key order or white space', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(JSON.stringify(reversed, null, 3))).toBe(canonicalJson(JSON.stringify(value)));
      }),
    );
  });
});
