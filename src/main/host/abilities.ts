import { app, shell } from 'electron';
import type { HostAbilities } from '../wire-settings.ts';
import { startOther, type Program } from './start-other.ts';

/** What Electron can do for the settings. */
export const electronAbilities = (program: Program): HostAbilities => ({
  notifies: true,
  start: startOther(program),
  async openFolder(path) {
    const problem = await shell.openPath(path);
    if (problem) throw new Error(problem);
  },
  end: () => app.quit(),
  // An installed application is no checkout with npm beside it.
  ...(app.isPackaged && { program: process.execPath }),
});
