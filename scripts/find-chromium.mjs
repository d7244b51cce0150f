// Where a Chromium for the browser tests and the demo is: BURSAR_CHROMIUM, the system's, Playwright's own download.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The usual places of this operating system, most likely first. */
function systemPlaces() {
  const { HOME = '', PATH = '', ProgramFiles = '', LOCALAPPDATA = '' } = process.env;
  if (process.platform === 'darwin') {
    return ['', HOME].flatMap((base) => [
      `${base}/Applications/Chromium.app/Contents/MacOS/Chromium`,
      `${base}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome`,
    ]);
  }
  if (process.platform === 'win32') {
    return [ProgramFiles, process.env['ProgramFiles(x86)'] ?? '', LOCALAPPDATA].filter(Boolean).flatMap((base) => [
      join(base, 'Chromium', 'Application', 'chrome.exe'),
      join(base, 'Google', 'Chrome', 'Application', 'chrome.exe'),
      join(base, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
    ]);
  }
  const folders = [...PATH.split(delimiter).filter(Boolean), '/usr/bin', '/usr/lib/chromium', '/opt/google/chrome', '/snap/bin'];
  return COMMANDS.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** The executable's path, or undefined where none is. A BURSAR_CHROMIUM that points nowhere is an error, not a hint. */
export function findChromium() {
  const named = process.env.BURSAR_CHROMIUM;
  if (named) {
    if (!executable(named)) throw new Error(`BURSAR_CHROMIUM names ${named}, which cannot be run.`);
    return named;
  }
  const system = systemPlaces().find(executable);
  if (system) return system;
  const own = chromium.executablePath();
  return existsSync(own) ? own : undefined;
}
