import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explicitUri, readExplicitUri, readShownName, shownName } from '../../../src/main/bridge/aggregate/names.ts';

/** Names that are made of few letters meet often. */
const upstream = fc.stringMatching(/^[ab][ab_-]{0,6}$/);
const tool = fc.oneof(fc.stringMatching(/^[ab_-]{0,8}$/), fc.string(), fc.string({ unit: 'binary', maxLength: 90 }), fc.stringMatching(/^[ab]{1,4}_[\da-f]{16}$/));

describe('names of tools of all servers', () => {
  test('two tools get one name, or a name that clients do not take', () => {
    fc.assert(
      fc.property(fc.tuple(upstream, tool), fc.tuple(upstream, tool), (one, other) => {
        const [shown, shownOther] = [shownName(...one), shownName(...other)];
        expect(shown).toMatch(/^[\w-]{1,64}$/);
        expect(shown === shownOther).toBe(one[0] === other[0] && one[1] === other[1]);
      }),
      { numRuns: 5_000 },
    );
  });

  test('a name changes from one start to the next', () => {
    expect(shownName('weather', 'forecast')).toBe('weather__forecast');
    expect(shownName('a__b', 'c')).toBe('a__b__c_528239e9b39f37f5');
    expect(shownName('a', 'x'.repeat(80))).toHaveLength(64);
  });

  test('a name is read as another tool than the one it was made of', () => {
    fc.assert(
      fc.property(upstream, tool, (server, name) => {
        const read = readShownName(shownName(server, name));
        if (read !== undefined) expect(read).toEqual({ upstream: server, name });
      }),
    );
    expect(readShownName('weather__forecast')).toEqual({ upstream: 'weather', name: 'forecast' });
  });

  test('an address that names its server is read as another', () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,31}$/), fc.string(), (server, uri) => {
      expect(readExplicitUri(explicitUri(server, uri))).toEqual({ upstream: server, uri });
    }));
  });

  test('a tool of Bursar\'s own has the name of a server\'s', () => {
    fc.assert(fc.property(upstream, tool, (server, name) => {
      expect(['payment_status', 'payment_resume']).not.toContain(shownName(server, name));
    }));
  });
});
