import { app, dialog } from 'electron';
import { toErrorInfo } from '../../shared/errors/errors.ts';

/** Tells the owner in a box why Bursar could not start, and ends. */
export async function failToStart(error: unknown): Promise<void> {
  const { message, hint, code } = toErrorInfo(error);
  await app.whenReady();
  dialog.showErrorBox('Bursar cannot start', `${message}\n\n${hint}\n\n(${code})`);
  app.exit(1);
}
