import type { FullConfig } from '@playwright/test';
import { LIMITS } from '../support/electron-double/limits.mjs';

/** Says before the first test what a green run on the double leaves unproved. */
// eslint-disable-next-line import/no-default-export -- Playwright calls it by that name.
export default function sayLimits(config: FullConfig): void {
  const names = config.projects.map(({ name }) => name);
  console.log(`Hosts under test: ${names.join(', ')}`);
  if (names.includes('double')) console.log(`The Electron double stands in for Electron. It does not prove:\n${LIMITS.map((limit) => `  - ${limit}`).join('\n')}\n`);
}
