import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** The rules whose outcome depends on colours: all that another theme of the same page can break. */
export const COLOUR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Serious and critical violations of accessibility rules (of all, or of the named ones) on the page as it stands, a line each. */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Legacy: without the empty page that axe opens for frames. No page has any, and Electron opens none.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`));
}
