import { openBridgeLink, type Bridge } from './bridge-link.ts';
import type { Link } from './link.ts';
import { takePageKey } from './page-key.ts';
import { openSocketLink } from './socket-link.ts';

declare global {
  interface Window {
    /** Put there by the Electron preload; absent in a browser. */
    readonly bursar?: Bridge;
  }
}

/** Opens the page's link: the preload's bridge inside Electron, else the WebSocket of the page's own host. */
export function openLink(surface: 'dashboard' | 'approval'): Link {
  if (window.bursar) return openBridgeLink(window.bursar);
  const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
  return openSocketLink({ url: `${scheme}://${window.location.host}/ws/${surface}`, key: takePageKey() });
}
