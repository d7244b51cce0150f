import type { Page } from 'playwright-core';

/** What a walk through a page by the Tab key found, each control by its name or its text. */
export interface KeyboardWalk {
  /** Controls that can be seen and used, and that the walk did not come to. */
  readonly missed: readonly string[];
  /** Controls that had the focus and looked as before. */
  readonly unseen: readonly string[];
}

/** Longest way through a page. */
const MOST_STEPS = 400;
const SEEN = 'data-walked';

/** Goes from the page's heading through all that Tab comes to. One radio button stands for its group, as the keyboard has it. */
export async function walkByKeyboard(page: Page): Promise<KeyboardWalk> {
  const controls = await page.evaluate((seen) => {
    for (const walked of document.querySelectorAll(`[${seen}]`)) walked.removeAttribute(seen);
    document.querySelector<HTMLElement>('main h1')?.focus();
    return document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]').length;
  }, SEEN);
  const unseen: string[] = [];
  for (let step = 0; step < Math.min(MOST_STEPS, 2 * controls + 10); step += 1) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate((seen) => {
      const focused = document.activeElement;
      if (!(focused instanceof HTMLElement || focused instanceof SVGElement) || focused === document.body) return undefined;
      if (focused.hasAttribute(seen)) return { name: '', isSeen: true, isNew: false };
      focused.setAttribute(seen, '');
      // A field's frame, or the label over a hidden radio button, may show it in its place.
      const shown = [focused, focused.parentElement, focused.closest('label')].some((element) => {
        if (!element) return false;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
      });
      return { name: focused.getAttribute('aria-label') ?? focused.textContent.trim().slice(0, 60), isSeen: shown, isNew: true };
    }, SEEN);
    if (found && !found.isSeen) unseen.push(found.name);
    // The browser's own controls have no place in the page; the second time around begins with what was seen.
    if (found && !found.isNew) break;
  }
  const missed = await page.evaluate((seen) => {
    const isUsable = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled, [tabindex="-1"], [aria-hidden=true] *');
    const inGroup = (element: Element): boolean => element instanceof HTMLInputElement && element.type === 'radio' && document.querySelector(`input[type=radio][name="${CSS.escape(element.name)}"][${seen}]`) !== null;
    // A widget with one way in hands the focus on to its item.
    const handsOn = (element: Element): boolean => element.matches('[role=tablist], [role=radiogroup], [role=toolbar]') && element.querySelector(`[${seen}]`) !== null;
    return [...document.querySelectorAll(`:is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not([${seen}])`)]
      .filter((element) => isUsable(element) && !inGroup(element) && !handsOn(element))
      .map((element) => element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 60));
  }, SEEN);
  return { missed, unseen };
}
