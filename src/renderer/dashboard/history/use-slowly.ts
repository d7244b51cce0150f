import { useEffect, useRef, useState } from 'react';

/** The value, at most once in so many milliseconds: what comes between is left out, the last one never is. */
export function useThrottled<T>(value: T, every: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    latest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, every);
  }, [value, every]);

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  return shown;
}

/** The value once it stopped changing for so many milliseconds. */
export function useSettled<T>(value: T, after: number): T {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setShown(value), after);
    return () => clearTimeout(timer);
  }, [value, after]);
  return shown;
}
