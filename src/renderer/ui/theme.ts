/** What the reader chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'bursar.theme';

/** The theme that was chosen on this machine. A browser that keeps nothing follows the system: looks never stop a page. */
export function storedTheme(): Theme {
  try {
    const stored = window.localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

/** A browser that keeps nothing has the choice for this page. */
let chosen: Theme | undefined;

/** The theme in force on this page. */
export const currentTheme = (): Theme => chosen ?? storedTheme();

const listeners = new Set<() => void>();

/** Calls back when another theme was chosen on this page. Returns the way to stop. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Puts a theme on the page. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Puts a theme on the page and keeps it for both pages, where the browser keeps anything. */
export function chooseTheme(theme: Theme): void {
  chosen = theme;
  showTheme(theme);
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // The choice holds for this page then.
  }
  for (const listener of listeners) listener();
}
