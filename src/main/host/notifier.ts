import { Notification } from 'electron';

/** One thing to tell the owner. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  /** What a click on it leads to. */
  readonly onClick: () => void;
}

/**
 * Returns the way to tell the owner something on the desktop. A notification has no button that approves: the terms have to be on screen
 * for that. A click only leads to a window.
 */
export function createNotifier(): (notice: Notice) => void {
  /** Held, because a notification that is collected loses its click. */
  const shown = new Set<Notification>();
  return ({ title, body, onClick }) => {
    if (!Notification.isSupported()) return;
    const notification = new Notification({ title, body });
    shown.add(notification);
    notification.on('close', () => shown.delete(notification));
    notification.on('click', onClick);
    notification.show();
  };
}
