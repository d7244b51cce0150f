import type { Clock } from '../../core/ports.ts';

/** Which pages show a secret now, so that their window can be kept out of screenshots and screen sharing. */
export interface SecretsShown {
  /** Before the secret leaves main. */
  show(connection: string): void;
  hide(connection: string): void;
  /** Calls back, within {@link SecretsShown.show} and {@link SecretsShown.hide}, when that becomes so for any page or for none. */
  subscribe(listener: (shown: boolean) => void): void;
}

/** A page that never says that it is done shows nothing any more by then. */
export const SHOWN_AT_MOST_MS = 5 * 60_000;

export function createSecretsShown({ clock }: { readonly clock: Clock }): SecretsShown {
  const ends = new Map<string, () => void>();
  const listeners: ((shown: boolean) => void)[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener(ends.size > 0);
  };
  const hide = (connection: string): void => {
    ends.get(connection)?.();
    if (ends.delete(connection)) tell();
  };
  return {
    show(connection) {
      ends.get(connection)?.();
      ends.set(connection, clock.after(SHOWN_AT_MOST_MS, () => hide(connection)));
      tell();
    },
    hide,
    subscribe: (listener) => void listeners.push(listener),
  };
}
