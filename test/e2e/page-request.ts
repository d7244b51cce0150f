import type { Page } from '@playwright/test';
import type { Envelope, RouteInput, RouteName, RouteOutput } from '../../src/shared/contract/contract.ts';

/**
 * Makes a request as a script in the page could: over the preload's bridge, or over a WebSocket of its own to `surface`. A request
 * that the preload does not let through is answered as `refused by the preload`.
 */
export const askFrom = (page: Page, route: string, input: unknown, surface: 'dashboard' | 'approval' = 'dashboard'): Promise<unknown> =>
  page.evaluate(
    async ([name, value, path]) => {
      const { bursar } = window as unknown as { bursar?: { request(route: string, input: unknown): Promise<unknown> } };
      if (bursar) return bursar.request(name, value).catch(() => 'refused by the preload');
      return new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/ws/${path}`, ['bursar', `key.${localStorage.getItem('bursar-page-key') ?? ''}`]);
        socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, route: name, input: value })));
        socket.addEventListener('error', () => reject(new Error('the socket was refused')));
        socket.addEventListener('message', ({ data }) => {
          const frame = JSON.parse(String(data)) as { id?: number; reply?: unknown };
          if (frame.id !== 1) return;
          socket.close();
          resolve(frame.reply);
        });
      });
    },
    [route, input, surface] as const,
  );

/** The same for a request that has to succeed. */
export async function requestFrom<N extends RouteName>(page: Page, route: N, input: RouteInput<N>): Promise<RouteOutput<N>> {
  const reply = (await askFrom(page, route, input)) as Envelope<RouteOutput<N>>;
  if (!reply.ok) throw new Error(`${route}: ${reply.error.message}`);
  return reply.value;
}
