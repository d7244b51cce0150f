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

/** Puts a theme on the page. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Puts a theme on the page and keeps it for both pages, where the browser keeps anything. */
export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // The choice holds for this page then.
  }
}
