import { useEffect } from 'react';

let open = 0;

/** Keeps the page from scrolling behind what is open, by an attribute that the style sheet knows. */
export function useStillPage(still: boolean): void {
  useEffect(() => {
    if (!still) return undefined;
    const page = document.documentElement;
    if (open === 0) page.dataset['still'] = page.clientWidth < window.innerWidth ? 'scrolled' : '';
    open += 1;
    return () => {
      open -= 1;
      if (open === 0) delete page.dataset['still'];
    };
  }, [still]);
}
