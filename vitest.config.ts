import { defineConfig } from 'vitest/config';

/** Failpoints are live under test; a release build replaces the constant by `false` and drops their code. */
const define = { __FAILPOINTS__: 'true' };

export default defineConfig({
  define,
  test: {
    projects: [
      {
        define,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.{ts,tsx}'],
          testTimeout: 10_000,
        },
      },
      {
        define,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          // Each file runs its own chains; two at a time is what two cores carry without stalling block times.
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          teardownTimeout: 20_000,
        },
      },
    ],
  },
});
