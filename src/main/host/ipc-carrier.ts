import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { IPC_CHANNELS } from '../../shared/contract/ipc.ts';
import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { Caller } from '../rpc/caller.ts';
import type { EventHub } from '../rpc/event-hub.ts';
import type { Router } from '../rpc/router.ts';
import { isAppUrl, type WindowSurface } from './app-scheme.ts';

export interface IpcCarrier {
  /** Lets a window's page make requests as the given surface, until the page is destroyed. */
  admit(contents: WebContents, surface: WindowSurface): void;
}

export interface IpcCarrierOptions {
  readonly router: Router;
  readonly events: EventHub;
  /** Called with the connection's name once its window is gone. */
  readonly disconnected: (connection: string) => void;
}

/** The contract over Electron IPC. Which window sends decides the surface; what is not the main frame of an admitted window is refused. */
export function openIpcCarrier({ router, events, disconnected }: IpcCarrierOptions): IpcCarrier {
  const admitted = new Map<WebContents, Caller>();

  const callerOf = ({ sender, senderFrame }: IpcMainInvokeEvent): Caller | undefined =>
    senderFrame !== null && senderFrame.parent === null && isAppUrl(senderFrame.url) ? admitted.get(sender) : undefined;

  ipcMain.handle(IPC_CHANNELS.request, (event, route: unknown, input: unknown) => {
    const caller = callerOf(event);
    if (caller === undefined || typeof route !== 'string') {
      return { ok: false, error: toErrorInfo(new BursarError('FORBIDDEN', 'This window may not make requests.')) };
    }
    return router.dispatch(route, input, caller);
  });

  events.subscribe((event) => {
    for (const contents of admitted.keys()) contents.send(IPC_CHANNELS.event, event);
  });

  return {
    admit(contents, surface) {
      const caller: Caller = { surface, connection: `window:${contents.id}`, host: 'electron' };
      admitted.set(contents, caller);
      contents.once('destroyed', () => {
        admitted.delete(contents);
        disconnected(caller.connection);
      });
    },
  };
}
