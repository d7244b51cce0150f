// An Electron double: as much of the main-process API as the app uses, over pages of a real Chromium (see limits.mjs).
import { app } from './app.mjs';
import { BrowserWindow, webContents } from './browser-window.mjs';
import { ipcMain } from './ipc.mjs';
import { protocol, session } from './protocol.mjs';
import { dialog, Menu, nativeImage, Notification, powerMonitor, screen, shell, systemPreferences, Tray } from './shell.mjs';
import { record } from './strict.mjs';

export { app, BrowserWindow, dialog, ipcMain, Menu, nativeImage, Notification, powerMonitor, protocol, screen, session, shell, systemPreferences, Tray, webContents, record as __record };
// `import electron from 'electron'` and `require('electron')` both have to work.
// eslint-disable-next-line import/no-default-export
export default { app, BrowserWindow, dialog, ipcMain, Menu, nativeImage, Notification, powerMonitor, protocol, screen, session, shell, systemPreferences, Tray, webContents, __record: record };
