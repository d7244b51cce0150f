import { screen, type BrowserWindow } from 'electron';
import { SURFACE_URLS } from './app-scheme.ts';
import type { PageRecovery } from './page-recovery.ts';
import { createPageWindow, type WindowParts } from './page-window.ts';
import { placePopup, type Rectangle } from './popup-place.ts';

const SIZE = { width: 460, height: 720 };

export interface ApprovalWindow {
  /** Opens the window without taking the focus from whatever the owner does. One that is open stays as it is. */
  show(): void;
  /** Opens the window where needed and gives it the focus, as the owner asked for it. `hash` tells its page which request is meant. */
  focus(hash?: string): void;
  /** Takes the window away because nothing waits (any more). */
  dismiss(): void;
}

export interface ApprovalWindowOptions {
  readonly parts: WindowParts;
  readonly trayPlace: () => Rectangle;
  /** Called with whether the window is on screen and has the focus, at every change. */
  readonly onVisible: (visible: boolean) => void;
  readonly recovery: PageRecovery;
  /** The page crashed and its window is gone. */
  readonly onCrashed: () => void;
  /** It crashed so often that it is not opened again by itself. */
  readonly onGivenUp: () => void;
  /** Called when the owner closes the window, which is an answer: no. */
  readonly onClosedByOwner: () => void;
}

/** The popup that asks. There is at most one; losing the focus answers nothing. */
export function createApprovalWindow({ parts, trayPlace, onVisible, recovery, onCrashed, onGivenUp, onClosedByOwner }: ApprovalWindowOptions): ApprovalWindow {
  let window: BrowserWindow | undefined;
  /** True once the page can be shown without a flash of nothing. */
  let ready = false;
  let wantsFocus = false;

  const create = (): BrowserWindow => {
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
    const created = createPageWindow('approval', parts, {
      window: {
        ...placePopup({ tray: trayPlace(), workArea, size: SIZE }),
        alwaysOnTop: true,
        skipTaskbar: true,
        minimizable: false,
        maximizable: false,
        fullscreenable: false,
      },
      // What waits still waits: it is shown anew, and its second begins anew.
      onCrash: () => (recovery.mayReopen() ? onCrashed() : onGivenUp()),
    });
    const report = (): void => onVisible(!created.isDestroyed() && created.isVisible() && created.isFocused() && !created.isMinimized());
    created.on('show', report);
    created.on('hide', report);
    created.on('focus', report);
    created.on('blur', report);
    created.on('minimize', report);
    created.on('restore', report);
    created.on('close', onClosedByOwner);
    created.once('ready-to-show', () => {
      ready = true;
      reveal(false);
    });
    created.once('closed', () => {
      window = undefined;
      ready = false;
      wantsFocus = false;
      onVisible(false);
    });
    return created;
  };

  const reveal = (focused: boolean): void => {
    if (focused) wantsFocus = true;
    window ??= create();
    if (!ready) return;
    if (wantsFocus) {
      window.show();
      window.focus();
    } else if (!window.isVisible()) window.showInactive();
    wantsFocus = false;
  };

  return {
    show: () => reveal(false),
    focus(hash = '') {
      reveal(true);
      // Another fragment is the same page, which hears of it.
      if (hash !== '') window?.loadURL(`${SURFACE_URLS.approval}${hash}`).catch((error: unknown) => parts.log.warn('a request could not be chosen', { reason: error instanceof Error ? error.message : String(error) }));
    },
    // destroy() does not ask the window, so this is no answer by the owner.
    dismiss: () => window?.destroy(),
  };
}
