import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import type { RouteName } from '../shared/contract/contract.ts';
import { IPC_CHANNELS } from '../shared/contract/ipc.ts';

/** Gives the page `window.bursar`: requests of the named routes, and events. Nothing else of Electron reaches it. */
export function exposeBridge(routes: readonly RouteName[]): void {
  const allowed = new Set<string>(routes);
  contextBridge.exposeInMainWorld('bursar', {
    request(route: string, input: unknown): Promise<unknown> {
      if (!allowed.has(route)) return Promise.reject(new Error('This page may not make that request.'));
      return ipcRenderer.invoke(IPC_CHANNELS.request, route, input);
    },
    subscribe(listener: (event: unknown) => void): () => void {
      // Electron's own event object holds the sender and stays here.
      const heard = (_event: IpcRendererEvent, event: unknown): void => listener(event);
      ipcRenderer.on(IPC_CHANNELS.event, heard);
      return () => void ipcRenderer.off(IPC_CHANNELS.event, heard);
    },
  });
}
