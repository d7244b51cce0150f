import { app, Menu, nativeImage, Tray } from 'electron';
import { join } from 'node:path';
import type { Environment } from '../../shared/contract/app.ts';
import type { Rectangle } from './popup-place.ts';

export interface TrayOptions {
  readonly environment: Environment;
  /** Folder of the tray images. */
  readonly images: string;
  readonly openDashboard: () => void;
  readonly showApproval: () => void;
  readonly lock: () => void;
}

export interface AppTray {
  /** Shows how many payments wait. */
  setWaiting(count: number): void;
  /** Where the icon is; empty where the system does not tell. */
  place(): Rectangle;
}

/** Two kinds of money may run side by side, with an icon each. */
const NAMES: Readonly<Record<Environment, string>> = { mainnet: 'Bursar', testnet: 'Bursar, test networks', sandbox: 'Bursar, play money' };

/** Puts Bursar into the tray (menu bar on macOS). */
export function createTray({ environment, images, openDashboard, showApproval, lock }: TrayOptions): AppTray {
  const mac = process.platform === 'darwin';
  // macOS colours an image by itself when its name ends in "Template".
  const image = (name: string) => nativeImage.createFromPath(join(images, `${name}${mac ? 'Template' : ''}.png`));
  const [idle, asking] = [image('tray'), image('tray-waiting')];
  const tray = new Tray(idle);
  const name = NAMES[environment];
  let waiting = 0;

  const show = (): void => {
    const sentence = waitingSentence(waiting);
    tray.setImage(waiting > 0 ? asking : idle);
    tray.setToolTip(waiting > 0 ? `${name}: ${sentence}` : name);
    if (mac) tray.setTitle(waiting > 0 ? String(waiting) : '');
    app.setBadgeCount(waiting);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { id: 'dashboard', label: 'Open dashboard', click: openDashboard },
        { id: 'waiting', label: sentence, enabled: waiting > 0, click: showApproval },
        { type: 'separator' },
        { id: 'lock', label: 'Lock', click: lock },
        { id: 'quit', label: `Quit ${name}`, click: () => app.quit() },
      ]),
    );
  };
  show();
  tray.on('click', () => (waiting > 0 ? showApproval() : openDashboard()));

  return {
    setWaiting(count) {
      if (count === waiting) return;
      waiting = count;
      show();
    },
    place: () => tray.getBounds(),
  };
}

function waitingSentence(count: number): string {
  if (count === 0) return 'No payment waits';
  return count === 1 ? '1 payment waits for you' : `${count} payments wait for you`;
}
