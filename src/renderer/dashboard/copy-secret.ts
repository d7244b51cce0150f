/** What of the browser's clipboard is used. */
export interface ClipboardAccess {
  writeText(text: string): Promise<void>;
  /** Where the page may read it; Bursar's own windows may not. */
  readText?(): Promise<string>;
}

/** How long a secret stays in the clipboard. */
export const CLEAR_AFTER_MS = 60_000;

export interface CopySecretOptions {
  readonly clipboard: ClipboardAccess;
  /** Calls back once; returns the way to call it off. */
  readonly after?: (ms: number, callback: () => void) => () => void;
  /** Called when the clipboard no longer holds the secret. */
  readonly onCleared?: () => void;
}

/** A secret that was copied. */
export interface CopiedSecret {
  /** Clears it now, as when the page that shows it is left; done after that. */
  clear(): Promise<void>;
}

const later = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/**
 * Copies a secret and clears it from the clipboard after {@link CLEAR_AFTER_MS}. What the owner copied since then stays, where the page may
 * read that; where it may not, the clipboard is cleared all the same. Clearing that fails (a page without the focus may not write) is tried
 * again every second until the page has the focus. Managers that keep a history of the clipboard are out of reach. Rejects where copying fails.
 */
export async function copySecret(secret: string, { clipboard, after = later, onCleared = () => undefined }: CopySecretOptions): Promise<CopiedSecret> {
  await clipboard.writeText(secret);
  let cleared = false;
  const clear = async (): Promise<void> => {
    if (cleared) return;
    callOff();
    try {
      if (await stillThere(clipboard, secret)) await clipboard.writeText('');
    } catch {
      callOff = after(RETRY_MS, () => void clear());
      return;
    }
    cleared = true;
    onCleared();
  };
  let callOff = after(CLEAR_AFTER_MS, () => void clear());
  return { clear };
}

const RETRY_MS = 1_000;

async function stillThere(clipboard: ClipboardAccess, secret: string): Promise<boolean> {
  try {
    return clipboard.readText === undefined || (await clipboard.readText()) === secret;
  } catch {
    return true;
  }
}
