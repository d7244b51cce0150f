import { defineConfig } from 'vitest/config';

/** Failpoints are live under test; a release build replaces the constant by `false` and drops their code. */
const define = { __FAILPOINTS__: 'true' };

/** Unit tests that stretch passphrases, kill processes or play thousands of histories: too long for `npm run check`. */
const LONG = ['test/unit/keys/**/*.test.ts', 'test/unit/home/**/*.test.ts', 'test/unit/store/**/*.test.ts', 'test/unit/core/payments/life-cycle.property.test.ts'];

export default defineConfig({
  define,
  test: {
    projects: [
      {
        define,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.{ts,tsx}'],
          exclude: LONG,
          testTimeout: 10_000,
        },
      },
      {
        define,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', ...LONG],
          // Each file runs its own chains; two at a time is what two cores carry without stalling block times.
          maxWorkers: 2,
          // Scripts that a test starts build nothing: other tests are running what was built.
          env: { BURSAR_UNDER_TESTS: '1' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          teardownTimeout: 20_000,
        },
      },
    ],
  },
});
