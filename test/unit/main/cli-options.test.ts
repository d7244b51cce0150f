import { expect, test } from 'vitest';
import { headerPair, pair } from '../../../src/main/cli/options.ts';

test('a header in the form of curl is refused, or another one is meant by it', () => {
  expect(headerPair('Authorization: Bearer a=b: c ', headerPair('X-Key=a: b'))).toEqual({ 'X-Key': 'a: b', Authorization: 'Bearer a=b: c' });
  expect(headerPair('X-Empty=')).toEqual({ 'X-Empty': '' });
  expect(headerPair('X-Tight:v')).toEqual({ 'X-Tight': 'v' });
});

test.each(['Bearer hunter2', 'Authorization Bearer: hunter2', ': hunter2', '=hunter2', 'hunter2:', 'hunter2: '])('a header without a name or a value is taken, or its value is repeated in the error: %s', (given) => {
  expect(() => headerPair(given)).toThrow(/^(?!.*hunter2)A header has to have the form/);
});

test('a variable that is refused is repeated in the error', () => {
  expect(() => pair('hunter2')).toThrow(/^(?!.*hunter2)/);
});
