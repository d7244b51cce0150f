import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { record, strict } from './strict.mjs';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** A missing file is an empty image, silently, as in Electron; tests read `path` and the size. */
function image(path) {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const size = bytes.subarray(0, 4).equals(PNG) ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : { width: 0, height: 0 };
  return { path, isEmpty: () => size.width === 0, getSize: () => size };
}
export const nativeImage = strict('nativeImage', { createFromPath: image });

export const Menu = strict('Menu', {
  buildFromTemplate: (items) => ({ items, getMenuItemById: (id) => items.find((item) => item.id === id) ?? null }),
  setApplicationMenu() {},
});

export class Tray extends EventEmitter {
  toolTip = '';
  title = '';
  menu = null;
  constructor(icon) {
    super();
    this.image = icon;
    record.trays.push(this);
  }
  setImage(icon) {
    this.image = icon;
  }
  setToolTip(text) {
    this.toolTip = text;
  }
  setTitle(text) {
    this.title = text;
  }
  setContextMenu(menu) {
    this.menu = menu;
  }
  getBounds = () => ({ x: 0, y: 0, width: 0, height: 0 });
}

export class Notification extends EventEmitter {
  static isSupported = () => true;
  constructor(options) {
    super();
    this.options = options;
  }
  show() {
    record.notifications.push({ ...this.options, click: () => this.emit('click', {}) });
  }
}

const display = { id: 1, scaleFactor: 1, bounds: { x: 0, y: 0, width: 1920, height: 1080 }, workArea: { x: 0, y: 0, width: 1920, height: 1040 } };
export const screen = strict('screen', { getAllDisplays: () => [display], getCursorScreenPoint: () => ({ x: 0, y: 0 }), getDisplayNearestPoint: () => display, getPrimaryDisplay: () => display });

/** A question stays open until a test answers it with the place of a button. */
export const dialog = strict('dialog', {
  showErrorBox: (title, content) => void record.errors.push({ title, content }),
  showMessageBox: (options) =>
    new Promise((resolve) => {
      record.questions.push({ options, answer: (response) => resolve({ response, checkboxChecked: false }) });
    }),
});
/** Tests emit its events themselves: no machine sleeps here. */
export const powerMonitor = strict('powerMonitor', new EventEmitter());
export const shell = strict('shell', { openExternal: async (url) => void record.external.push(url) });

/** Touch ID as a Mac has it, off until a test turns it on: `record.touchId.finger` is what the person does. */
export const systemPreferences = strict('systemPreferences', {
  canPromptTouchID: () => record.touchId.available,
  async promptTouchID(reason) {
    record.touchId.prompts.push(reason);
    if (record.touchId.finger !== 'right') throw new Error('Authentication was canceled by the user.');
  },
});
