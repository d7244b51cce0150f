import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Serious and critical violations of accessibility rules on the page as it stands, a line each. */
export async function seriousViolations(page: Page): Promise<readonly string[]> {
  // Legacy: without the empty page that axe opens for frames. No page has any, and Electron opens none.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`));
}
