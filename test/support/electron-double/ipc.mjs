import { EventEmitter } from 'node:events';
import { fromChromium } from './protocol.mjs';
import { strict } from './strict.mjs';

const handlers = new Map();

class IpcMain extends EventEmitter {
  handle(channel, handler) {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  }
  removeHandler(channel) {
    handlers.delete(channel);
  }
}
const ipc = new IpcMain();
export const ipcMain = strict('ipcMain', ipc);

/** What structured clone refuses is refused here too, with Electron's words. */
export function cloned(value) {
  try {
    return structuredClone(value);
  } catch {
    throw new Error('An object could not be cloned.');
  }
}

/** Takes a message of a page's preload. `frame` is Playwright's. */
export async function receive(contents, frame, { type, channel, args }) {
  const url = fromChromium(frame.url());
  const senderFrame = { url, origin: url.split('/').slice(0, 3).join('/'), parent: frame.parentFrame() ? {} : null };
  const event = { sender: contents, senderFrame, frameId: 1, processId: contents.id, type: 'frame' };
  if (type === 'send') {
    ipc.emit(channel, event, ...args);
    return {};
  }
  const handler = handlers.get(channel);
  if (!handler) return { error: `Error: No handler registered for '${channel}'` };
  try {
    return { value: cloned(await handler(event, ...args)) };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
