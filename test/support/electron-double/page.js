// Runs in the page before any of its scripts: gives the preload the `require('electron')` of a sandboxed preload.
// eslint-disable-next-line no-unused-expressions -- browser-window.mjs calls it with the preload's code
(function electronDouble(preload, bindingName, deliverName) {
  const bind = globalThis[bindingName];
  delete globalThis[bindingName];
  if (window !== window.top) return; // no preload in subframes, as by default in Electron
  const listeners = new Map();
  const clone = (value) => {
    try {
      return structuredClone(value);
    } catch {
      throw new Error('An object could not be cloned.');
    }
  };
  const on = (channel, listener) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    return ipcRenderer;
  };
  const off = (channel, listener) => {
    listeners.set(channel, (listeners.get(channel) ?? []).filter((known) => known !== listener));
    return ipcRenderer;
  };
  const ipcRenderer = {
    async invoke(channel, ...args) {
      const { value, error } = await bind({ type: 'invoke', channel, args: clone(args) });
      if (error) throw new Error(`Error invoking remote method '${channel}': ${error}`);
      return value;
    },
    send: (channel, ...args) => void bind({ type: 'send', channel, args: clone(args) }),
    on,
    off,
  };
  // contextBridge: functions are wrapped, values copied, the result frozen.
  function bridged(value) {
    if (typeof value === 'function') return (...args) => bridged(value(...args.map(bridged)));
    if (typeof value?.then === 'function') return value.then(bridged);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(bridged);
    return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, bridged(part)])));
  }
  const contextBridge = {
    exposeInMainWorld(key, api) {
      if (key in globalThis) throw new Error('Cannot bind an API on top of an existing property on the window object');
      Object.defineProperty(globalThis, key, { value: bridged(api), enumerable: true, writable: false, configurable: false });
    },
  };
  Object.defineProperty(globalThis, deliverName, {
    value: (channel, args) => {
      for (const listener of listeners.get(channel) ?? []) listener({ sender: ipcRenderer, ports: [] }, ...args);
    },
  });
  // A popup is asked for, never opened: setWindowOpenHandler decides in main.
  const ask = (url) => void bind({ type: 'open', url: new URL(url, document.baseURI).href });
  window.open = (url = 'about:blank') => {
    ask(url);
    return null;
  };
  addEventListener('click', (event) => {
    const link = event.target.closest?.('a[target=_blank]');
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    ask(link.href);
  });
  if (!preload) return;
  const require = (id) => {
    if (id === 'electron' || id === 'electron/renderer') return { contextBridge, ipcRenderer };
    throw new Error(`module not found: ${id}`); // as in a sandboxed preload
  };
  const module = { exports: {} };
  preload(require, module, module.exports);
})
