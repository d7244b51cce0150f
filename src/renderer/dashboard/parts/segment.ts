/** One choice of a row of choices, around its radio button. The chosen one has an edge too: a tint alone is seen by few, and by nobody where the system gives the colours. */
export const segmentClass =
  'cursor-pointer rounded-md px-3 py-1 text-muted hover:text-ink has-checked:bg-surface has-checked:text-accent has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent forced-colors:has-checked:underline';
