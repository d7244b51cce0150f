import { app } from 'electron';
import { declareAppScheme } from './app-scheme.ts';

/**
 * What has to happen before Electron is ready and before the data folder is touched: its own files go to `userData`, every renderer
 * is sandboxed, and the instance is claimed. False means that another instance runs on this folder; it was told to come forward,
 * and this process has to end.
 */
export function claimInstance({ userData }: { readonly userData: string }): boolean {
  app.setPath('userData', userData);
  app.enableSandbox();
  declareAppScheme();
  return app.requestSingleInstanceLock();
}
