import { app, shell } from 'electron';
import type { HostAbilities } from '../wire-settings.ts';

/** What Electron can do for the settings. */
export const electronAbilities = (): HostAbilities => ({
  notifies: true,
  async openFolder(path) {
    const problem = await shell.openPath(path);
    if (problem) throw new Error(problem);
  },
  end: () => app.quit(),
  // An installed application is no checkout with npm beside it.
  ...(app.isPackaged && { program: process.execPath }),
});
