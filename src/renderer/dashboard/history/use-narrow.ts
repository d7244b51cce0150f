import { useSyncExternalStore } from 'react';

/** Tailwind's `max-sm`. */
const query = window.matchMedia('(width < 40rem)');

const subscribe = (changed: () => void): (() => void) => {
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
};

/** True on windows as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
