import { Notification } from 'electron';

/**
 * Returns the way to say that a payment waits. A notification has no button that approves: the terms have to be on screen for that.
 */
export function createNotifier(): (upstream: string, onClick: () => void) => void {
  /** Held, because a notification that is collected loses its click. */
  const shown = new Set<Notification>();
  return (upstream, onClick) => {
    if (!Notification.isSupported()) return;
    const notification = new Notification({ title: 'A payment waits for you', body: `The server "${upstream}" asks to be paid.` });
    shown.add(notification);
    notification.on('close', () => shown.delete(notification));
    notification.on('click', onClick);
    notification.show();
  };
}
