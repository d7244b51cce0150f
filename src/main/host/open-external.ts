import { shell } from 'electron';
import { requireBrowserAddress } from '../upstream-auth/addresses.ts';
import { isMessage } from './message-url.ts';

/** Hands a prepared message to the owner's mail or message program, which sends it only once they say so. */
export function openMessage(url: string): void {
  if (isMessage(url)) shell.openExternal(url).catch(() => undefined);
}

/** Opens a page in the owner's browser. Throws `UPSTREAM_SIGN_IN_FAILED` for what is no page: another scheme would start a program. */
export function openExternal(url: string): void {
  requireBrowserAddress(new URL(url));
  // Failing is fine: the page says that a browser was to open, and how to do it by hand.
  shell.openExternal(url).catch(() => undefined);
}
