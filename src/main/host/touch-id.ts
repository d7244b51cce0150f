import { systemPreferences } from 'electron';
import type { TouchId } from '../presence/presence.ts';

/** macOS alone has it; elsewhere Electron lacks the functions. */
const { canPromptTouchID, promptTouchID } = systemPreferences as Partial<Pick<typeof systemPreferences, 'canPromptTouchID' | 'promptTouchID'>>;

/** The system's own window that asks for the person's finger; no page can answer it. */
export const touchId: TouchId = {
  available: () => promptTouchID !== undefined && canPromptTouchID?.call(systemPreferences) === true,
  async prompt(words) {
    if (promptTouchID === undefined) throw new Error('There is no Touch ID here.');
    await promptTouchID.call(systemPreferences, words);
  },
};
