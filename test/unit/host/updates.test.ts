import { beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../../src/core/ports.ts';
import { startUpdates, type UpdateKind, type UpdatesOptions } from '../../../src/main/host/updates.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const HOUR = 3_600_000;
const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** What happened, in order, and the levers of a test. */
function world(kind: UpdateKind) {
  const clock = new ManualClock();
  const happened: string[] = [];
  const state = { busy: false, wanted: true, answer: true, version: '2.0.0' as string | undefined, fails: false };
  const listeners = new Set<() => void>();
  const options: UpdatesOptions = {
    source: {
      kind,
      async check() {
        happened.push('check');
        if (state.fails) throw new Error('no network');
        return state.version === undefined ? undefined : { version: state.version };
      },
      async download() {
        happened.push('download');
      },
      install: () => void happened.push('install'),
    },
    wanted: () => state.wanted,
    idle: () => !state.busy,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async ask(version) {
      happened.push(`ask ${version}`);
      return state.answer;
    },
    tell: (version) => void happened.push(`tell ${version}`),
    async end() {
      happened.push('end');
    },
    clock,
    log,
  };
  const setBusy = async (busy: boolean) => {
    state.busy = busy;
    for (const listener of listeners) listener();
    await clock.advance(0);
  };
  return { clock, happened, state, setBusy, listeners, updates: startUpdates(options) };
}

describe('a version that can be put in place', () => {
  let it: ReturnType<typeof world>;
  beforeEach(() => {
    it = world('install');
  });

  test('is put in place without a word of the owner', async () => {
    it.state.answer = false;
    await it.clock.advance(2 * HOUR);
    expect(it.happened).toEqual(['check', 'ask 2.0.0']);
  });

  test('is put in place before everything else has ended', async () => {
    await it.clock.advance(HOUR);
    expect(it.happened).toEqual(['check', 'ask 2.0.0', 'download', 'end', 'install']);
  });

  test('is looked for, or put in place, while a payment is under way', async () => {
    await it.setBusy(true);
    await it.clock.advance(HOUR);
    expect(it.happened).toEqual([]);
    await it.setBusy(false);
    expect(it.happened).toEqual(['check', 'ask 2.0.0', 'download', 'end', 'install']);
  });

  test('ends Bursar in the middle of a payment that began while it was fetched', async () => {
    const clock = new ManualClock();
    const happened: string[] = [];
    let busy = false;
    const listeners = new Set<() => void>();
    startUpdates({
      source: {
        kind: 'install',
        check: async () => ({ version: '2.0.0' }),
        async download() {
          busy = true;
        },
        install: () => void happened.push('install'),
      },
      wanted: () => true,
      idle: () => !busy,
      onChange: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
      ask: async () => true,
      tell: () => {},
      end: async () => void happened.push('end'),
      clock,
      log,
    });
    await clock.advance(HOUR);
    expect(happened).toEqual([]);
    busy = false;
    for (const listener of listeners) listener();
    await clock.advance(0);
    expect(happened).toEqual(['end', 'install']);
    expect(listeners.size).toBe(0);
  });

  test('is asked about each day although the owner said no', async () => {
    it.state.answer = false;
    await it.clock.advance(72 * HOUR);
    expect(it.happened.filter((word) => word.startsWith('ask'))).toEqual(['ask 2.0.0']);
    it.state.version = '2.0.1';
    await it.clock.advance(24 * HOUR);
    expect(it.happened.filter((word) => word.startsWith('ask'))).toEqual(['ask 2.0.0', 'ask 2.0.1']);
  });
});

test('a package without a signature is put in place', async () => {
  const it = world('notice');
  await it.clock.advance(48 * HOUR);
  expect(it.happened).toEqual(['check', 'tell 2.0.0', 'check']);
});

test('Bursar asks a feed although the owner turned that off', async () => {
  const it = world('install');
  it.state.wanted = false;
  await it.clock.advance(72 * HOUR);
  expect(it.happened).toEqual([]);
  it.state.wanted = true;
  await it.clock.advance(24 * HOUR);
  expect(it.happened).toContain('check');
});

test('one look that failed is the last one', async () => {
  const it = world('install');
  it.state.fails = true;
  await it.clock.advance(48 * HOUR);
  expect(it.happened).toEqual(['check', 'check']);
});

test('a look is taken after the end', async () => {
  const it = world('install');
  it.updates.stop();
  await it.clock.advance(48 * HOUR);
  expect(it.happened).toEqual([]);
});
