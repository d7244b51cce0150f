import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { preventable, record, strict } from './strict.mjs';

const given = process.argv.find((argument) => argument.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length);
const paths = { userData: given ?? mkdtempSync(join(tmpdir(), 'electron-double-')), home: homedir(), temp: tmpdir(), exe: process.execPath, appData: join(homedir(), '.config') };

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
  lock = undefined;

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
  focus() {}
  setBadgeCount(count) {
    record.badge = count;
    return true;
  }
  // Synchronous in Electron; here a file names the holder's pid, and a socket carries the news to it.
  requestSingleInstanceLock(data = {}) {
    const file = join(paths.userData, 'double.lock');
    const socket = join(paths.userData, 'double.sock');
    mkdirSync(paths.userData, { recursive: true });
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (holder !== 0 && holder !== process.pid && isAlive(holder)) {
      const link = createConnection(socket, () => link.end(JSON.stringify({ argv: process.argv, cwd: process.cwd(), data })));
      link.on('error', () => {});
      return false;
    }
    writeFileSync(file, String(process.pid));
    if (existsSync(socket)) unlinkSync(socket);
    this.lock = createServer((link) => {
      let text = '';
      link.on('data', (chunk) => (text += chunk)).on('end', () => {
        const { argv, cwd, data: additional } = JSON.parse(text);
        this.emit('second-instance', preventable(), argv, cwd, additional);
      });
    }).listen(socket);
    this.lock.unref();
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
    this.lock?.close();
    this.endBrowser().finally(() => process.exit(code));
  }
}

export const application = new App();
export const app = strict('app', application);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => application.quit());
