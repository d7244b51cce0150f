import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { application } from './app.mjs';
import { held } from './browser.mjs';
import { cloned, receive } from './ipc.mjs';
import { answer, fromChromium, session, toChromium } from './protocol.mjs';
import { preventable, strict } from './strict.mjs';

const BINDING = '__electronDoubleBinding';
const DELIVER = '__electronDoubleDeliver';
const pageScript = readFileSync(new URL('page.js', import.meta.url), 'utf8').replaceAll(/^\/\/.*\n/gm, '').trim();

const windows = new Set();
let focused = null;
let nextId = 1;

class WebContents extends EventEmitter {
  id = nextId++;
  session = session.defaultSession;
  openHandler = () => ({ action: 'allow' });
  url = '';
  constructor(window) {
    super();
    this.window = window;
  }
  getURL() {
    const now = this.window.opened?.url();
    return now === undefined || now === 'about:blank' ? this.url : fromChromium(now);
  }
  forcefullyCrashRenderer() {
    void this.window.queue(async (page) => {
      const cdp = await held.context.newCDPSession(page);
      // Never answered: what would answer is gone.
      void cdp.send('Page.crash').catch(() => {});
    });
  }
  isDestroyed() {
    return this.window.destroyed;
  }
  setWindowOpenHandler(handler) {
    this.openHandler = handler;
  }
  send(channel, ...args) {
    const data = cloned(args);
    void this.window.queue((page) => page.evaluate(([deliver, to, values]) => globalThis[deliver]?.(to, values), [DELIVER, channel, data])).catch(() => {});
  }
  close() {
    this.window.close();
  }
}

export const webContents = strict('webContents (module)', {
  getAllWebContents: () => [...windows].map((window) => window.webContents),
  // Playwright asks with this which window a page belongs to.
  fromDevToolsTargetId: (target) => [...windows].find((window) => window.targetId === target)?.webContents,
});

export class BrowserWindow extends EventEmitter {
  static getAllWindows = () => [...windows];
  static getFocusedWindow = () => focused;
  static fromWebContents = (contents) => [...windows].find((window) => window.webContents === contents) ?? null;

  id = nextId++;
  destroyed = false;
  visible = false;
  minimized = false;
  maximized = false;
  programmatic = false;

  constructor(options = {}) {
    super();
    if (!application.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    this.options = options;
    this.bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width ?? 800, height: options.height ?? 600 };
    this.webContents = strict('webContents', new WebContents(this));
    windows.add(this);
    this.page = this.open(options.webPreferences ?? {});
    this.tail = this.page.catch(() => {});
    application.emit('browser-window-created', {}, this);
    application.emit('web-contents-created', {}, this.webContents);
    if (options.show !== false) this.show();
  }

  async open({ preload }) {
    const page = await held.context.newPage();
    this.opened = page;
    await page.setViewportSize({ width: this.bounds.width, height: this.bounds.height });
    await page.exposeBinding(BINDING, ({ frame }, message) => this.received(frame, message));
    const code = preload ? `function (require, module, exports) {${readFileSync(preload, 'utf8')}\n}` : 'null';
    await page.addInitScript({ content: `(${pageScript.replace(/;$/, '')})(${code}, ${JSON.stringify(BINDING)}, ${JSON.stringify(DELIVER)});` });
    page.on('crash', () => this.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }));
    page.on('close', () => this.gone());
    await page.route('**/*', (route, request) => this.requested(page, route, request));
    const cdp = await held.context.newCDPSession(page);
    ({ targetId: this.targetId } = (await cdp.send('Target.getTargetInfo')).targetInfo);
    return page;
  }

  async received(frame, message) {
    if (message.type !== 'open') {
      const reply = await receive(this.webContents, frame, message);
      // What the handler sent goes out before its reply, as down Electron's one pipe.
      await this.queue(() => {}).catch(() => {});
      return reply;
    }
    const verdict = this.webContents.openHandler({ url: fromChromium(message.url), frameName: '', disposition: 'new-window', features: '' });
    if (verdict?.action !== 'deny') throw new Error('electron double: only deny is modelled for new windows');
    return {};
  }

  requested(page, route, request) {
    if (request.isNavigationRequest() && !this.programmatic) {
      const url = fromChromium(request.url());
      const isMainFrame = request.frame() === page.mainFrame();
      const event = preventable({ url, isMainFrame });
      this.webContents.emit('will-frame-navigate', event);
      if (isMainFrame && !event.defaultPrevented) this.webContents.emit('will-navigate', event, url);
      if (event.defaultPrevented) return route.abort('aborted');
    }
    return answer(route, request);
  }

  /** Every operation on one window's page runs in call order, as messages down one Electron pipe do. */
  queue(work) {
    const done = this.tail.then(async () => (this.destroyed ? undefined : work(await this.page)));
    this.tail = done.catch(() => {});
    return done;
  }

  async loadURL(url) {
    const contents = this.webContents;
    try {
      // The queue is held up to the commit only: a page may await IPC before its load event.
      await this.queue(async (page) => {
        this.programmatic = true;
        contents.window.webContents.url = url;
        try {
          await page.goto(toChromium(url), { waitUntil: 'commit' });
        } finally {
          this.programmatic = false;
        }
      });
      await (await this.page).waitForLoadState('load');
    } catch (error) {
      if (this.destroyed) return;
      contents.emit('did-fail-load', {}, -2, error.message, url, true);
      throw error;
    }
    contents.emit('did-finish-load');
    this.emit('ready-to-show');
  }

  gone() {
    if (this.destroyed) return;
    this.destroyed = true;
    windows.delete(this);
    if (focused === this) focused = null;
    this.emit('closed');
    this.webContents.emit('destroyed');
    if (windows.size > 0 || application.quitting) return;
    if (application.listenerCount('window-all-closed') > 0) application.emit('window-all-closed');
    else application.quit();
  }
  close() {
    const event = preventable();
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }
  destroy() {
    if (this.destroyed) return;
    this.gone();
    void this.page.then((page) => page.close()).catch(() => {});
  }
  show() {
    this.showInactive();
    this.focus();
  }
  showInactive() {
    this.visible = true;
    this.emit('show');
  }
  setContentProtection(on) {
    this.contentProtected = on;
  }
  isContentProtected() {
    return this.contentProtected === true;
  }
  setBounds(bounds) {
    const before = this.bounds;
    this.bounds = { ...before, ...bounds };
    if (this.bounds.width !== before.width || this.bounds.height !== before.height) this.emit('resize');
    if (this.bounds.x !== before.x || this.bounds.y !== before.y) this.emit('move');
  }
  maximize() {
    this.maximized = true;
    this.emit('maximize');
    this.emit('resize');
  }
  unmaximize() {
    this.maximized = false;
    this.emit('unmaximize');
    this.emit('resize');
  }
  hide() {
    this.visible = false;
    this.emit('hide');
    this.blur();
  }
  focus() {
    if (focused === this) return;
    focused?.blur();
    focused = this;
    this.emit('focus');
    void this.queue((page) => page.bringToFront()).catch(() => {});
  }
  blur() {
    if (focused !== this) return;
    focused = null;
    this.emit('blur');
  }
  minimize() {
    this.minimized = true;
    this.emit('minimize');
  }
  restore() {
    this.minimized = false;
    this.emit('restore');
  }
  isDestroyed = () => this.destroyed;
  isVisible = () => this.visible;
  isFocused = () => focused === this;
  isMinimized = () => this.minimized;
  isAlwaysOnTop = () => this.options.alwaysOnTop === true;
  getTitle = () => this.options.title ?? '';
  getBounds = () => (this.maximized ? { x: 0, y: 0, width: 1920, height: 1040 } : { ...this.bounds });
  getNormalBounds = () => ({ ...this.bounds });
  isMaximized = () => this.maximized;
  removeMenu() {}
}

application.closeWindows = () => {
  for (const window of windows) {
    window.close();
    if (!window.destroyed) return false;
  }
  return true;
};
