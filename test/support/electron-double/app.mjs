import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { preventable, record, strict } from './strict.mjs';

const given = process.argv.find((argument) => argument.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length);
const paths = { userData: given ?? join(tmpdir(), `electron-double-data-${process.pid}`), home: homedir(), temp: tmpdir(), exe: process.execPath, appData: join(homedir(), '.config') };

let markReady;
const ready = new Promise((resolve) => {
  markReady = resolve;
});

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

class App extends EventEmitter {
  isPackaged = false;
  name = 'Bursar';
  commandLine = strict('app.commandLine', { appendSwitch() {}, hasSwitch: () => false });
  /** Set by the other parts: closes every window (false where one refused), and ends the browser. */
  closeWindows = () => true;
  endBrowser = async () => {};
  started = false;
  quitting = false;

  whenReady() {
    return ready;
  }
  isReady() {
    return this.started;
  }
  start() {
    this.started = true;
    this.emit('ready', {}, {});
    markReady();
  }
  getPath(name) {
    if (!(name in paths)) throw new Error(`Failed to get '${name}' path`);
    return paths[name];
  }
  setPath(name, path) {
    mkdirSync(path, { recursive: true });
    paths[name] = path;
  }
  getVersion() {
    return process.versions.electron;
  }
  getLocale() {
    return 'en-US';
  }
  enableSandbox() {
    if (this.started) throw new Error('app.enableSandbox() can only be called before app is ready');
  }
  setAppUserModelId() {}
  setAsDefaultProtocolClient(scheme) {
    record.schemes.push(scheme);
    return true;
  }
  getLoginItemSettings() {
    return { openAtLogin: record.openAtLogin };
  }
  setLoginItemSettings({ openAtLogin }) {
    record.openAtLogin = openAtLogin;
  }
  relaunch() {
    record.relaunched = true;
  }
  focus() {}
  setBadgeCount(count) {
    record.badge = count;
    return true;
  }
  // Synchronous in Electron, where the second process may end at once; here a file names the holder, another carries the news
  // and a signal rings.
  requestSingleInstanceLock(data = {}) {
    const file = join(paths.userData, 'double.lock');
    const news = join(paths.userData, 'double.news');
    mkdirSync(paths.userData, { recursive: true });
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (holder !== 0 && holder !== process.pid && isAlive(holder)) {
      writeFileSync(news, JSON.stringify({ argv: process.argv, cwd: process.cwd(), data }));
      process.kill(holder, 'SIGUSR2');
      return false;
    }
    writeFileSync(file, String(process.pid));
    process.on('SIGUSR2', () => {
      const { argv, cwd, data: additional } = JSON.parse(readFileSync(news, 'utf8'));
      this.emit('second-instance', preventable(), argv, cwd, additional);
    });
    return true;
  }
  quit() {
    if (this.quitting) return;
    const before = preventable();
    this.emit('before-quit', before);
    if (before.defaultPrevented) return;
    this.quitting = true;
    if (!this.closeWindows()) {
      this.quitting = false;
      return;
    }
    this.emit('will-quit', preventable());
    this.exit(0);
  }
  exit(code = 0) {
    this.emit('quit', {}, code);
    void this.endBrowser().finally(() => process.exit(code));
  }
}

export const application = new App();
export const app = strict('app', application);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => application.quit());
