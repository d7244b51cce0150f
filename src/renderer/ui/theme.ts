/** What the reader chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'bursar.theme';

/** The theme that was chosen on this machine. */
export function storedTheme(): Theme {
  const stored = window.localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Puts a theme on the page. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Puts a theme on the page and keeps it for both pages. */
export function chooseTheme(theme: Theme): void {
  window.localStorage.setItem(KEY, theme);
  showTheme(theme);
}
