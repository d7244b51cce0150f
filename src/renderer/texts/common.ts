import type { Environment } from '../../shared/contract/app.ts';

// The catalogue is one file per bundle (common, approval, dashboard), so that the approval page carries only its own words.

/** Errors that a page makes itself when main's answer cannot be had. */
export const linkTexts = {
  down: 'There is no connection to Bursar at the moment.',
  downHint: 'Nothing was sent. The page connects again by itself.',
  dropped: (route: string) => `The connection was lost before Bursar answered (${route}).`,
  droppedHint: 'It is not known whether this was done. Look at the current state before you try again.',
  noAnswer: (route: string) => `Bursar did not answer in time (${route}).`,
  unreadable: (route: string) => `Bursar's answer cannot be read (${route}).`,
  unreadableHint: 'The page may be of another version than Bursar. Load it again.',
} as const;

/** What kind of money the data folder is for. */
export const environmentTexts: Readonly<Record<Environment, { readonly label: string; readonly note: string }>> = {
  sandbox: { label: 'Play money', note: 'Local chains. Nothing here is worth anything.' },
  testnet: { label: 'Test money', note: 'Public test networks. Nothing here is worth anything.' },
  mainnet: { label: 'Real money', note: 'Real networks. Payments cannot be taken back.' },
};

/** Words that both pages use. */
export const commonTexts = {
  product: 'Bursar',
  copy: (what: string) => `Copy ${what}`,
  copyShort: 'Copy',
  copied: 'Copied',
  copyFailed: 'Could not copy: select the text and copy it by hand',
  connecting: 'Connecting to Bursar…',
  connectionLost: 'Connection lost. Trying again…',
  connectionLostLong: 'Still no connection. If Bursar was stopped, start it again and open the address that it prints.',
  passphrase: 'Passphrase',
  unlock: 'Unlock',
  unlocking: 'Unlocking…',
} as const;
