import { dialog } from 'electron';
import type { Log } from '../../core/ports.ts';

/** Asks whether a newer version may be put in place. Closing the question says no. */
export async function askForUpdate(version: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    title: 'Bursar',
    message: `Bursar ${version} is there.`,
    detail: 'It is fetched, checked against the signature of this one, and put in place once no payment is under way. Bursar starts again then.',
    buttons: ['Install', 'Not now'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}

/** Says that a window is not opened again by itself. */
export function tellGivenUp(log: Log): void {
  dialog
    .showMessageBox({
      type: 'warning',
      title: 'Bursar',
      message: 'A window of Bursar failed several times.',
      detail: 'Bursar itself goes on, and nothing is paid without you. Open the window again from the tray; if it fails again, restart Bursar.',
      buttons: ['OK'],
      noLink: true,
    })
    .catch((error: unknown) => log.error('telling of a failed window failed', { reason: String(error) }));
}
