import { app, dialog } from 'electron';
import type { Log } from '../../core/ports.ts';

export interface QuitGuardOptions {
  /** Payments that are signed, or about to be, and whose call is not answered: to end now may lose the answer, never the money's trace. */
  readonly running: () => number;
  /** Calls back when that may have changed; gives the way to stop. */
  readonly onChange: (listener: () => void) => () => void;
  /** Ends everything else. */
  readonly shutdown: () => Promise<void>;
  /** Called once the end has begun. */
  readonly onQuit: () => void;
  readonly log: Log;
}

export interface QuitGuard {
  /** Ends without asking: the machine is turned off. */
  quitNow(): void;
  /** Ends everything but Electron, whose own end the caller brings about. */
  end(): Promise<void>;
}

const CHOICES = ['Quit when it is done', 'Quit now', 'Cancel'] as const;

/** Closing windows leaves Bursar in the tray; quitting asks while a payment is under way, waits for the shutdown, and happens once. */
export function createQuitGuard({ running, onChange, shutdown, onQuit, log }: QuitGuardOptions): QuitGuard {
  let ending: Promise<void> | undefined;
  let ended = false;
  /** Set while the owner is asked, or has chosen to wait. */
  let held = false;

  const end = (): Promise<void> => {
    if (ending === undefined) onQuit();
    ending ??= shutdown()
      .catch((error: unknown) => log.error('the shutdown failed', { reason: error instanceof Error ? error.stack : String(error) }))
      .finally(() => {
        ended = true;
      });
    return ending;
  };
  const quitNow = (): void => void end().then(() => app.quit());

  const quitWhenDone = (): void => {
    if (running() === 0) return quitNow();
    const stop = onChange(() => {
      if (running() > 0) return;
      stop();
      quitNow();
    });
  };
  const ask = async (): Promise<void> => {
    held = true;
    const { response } = await dialog.showMessageBox({
      type: 'question',
      title: 'Bursar',
      message: running() === 1 ? 'A payment is under way.' : `${running()} payments are under way.`,
      detail: 'What is signed is followed on its chain at the next start, but the answer that was paid for may be lost to the agent.',
      buttons: [...CHOICES],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    });
    if (response === 0) return quitWhenDone();
    held = false;
    if (response === 1) quitNow();
  };

  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (ended) return;
    event.preventDefault();
    if (ending !== undefined || held) return;
    if (running() === 0) return quitNow();
    ask().catch((error: unknown) => {
      log.error('asking before the end failed', { reason: error instanceof Error ? error.message : String(error) });
      quitNow();
    });
  });
  return { quitNow, end };
}
