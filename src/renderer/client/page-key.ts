const STORED = 'bursar-page-key';
const FRAGMENT = /^#key=([\w-]{43})$/;

/**
 * The key of this browser's session, which no cookie can replace. The address that signs in brings it in its fragment; from there it goes into
 * the storage of this origin (scheme, host and port), where a reload and another tab find it. It is worth nothing after Bursar's restart.
 */
export function takePageKey(): string {
  const brought = FRAGMENT.exec(window.location.hash)?.[1];
  if (brought === undefined) return window.localStorage.getItem(STORED) ?? '';
  window.localStorage.setItem(STORED, brought);
  // Out of the address bar, and out of the way of the dashboard's own fragments.
  window.history.replaceState(null, '', window.location.pathname);
  return brought;
}
