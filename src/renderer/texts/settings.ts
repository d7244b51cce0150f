import type { Environment } from '../../shared/contract/app.ts';
import type { NotificationKind } from '../../shared/contract/settings.ts';

export const settingsTexts = {
  title: 'Settings',
  intro: 'How Bursar runs on this computer. Limits and rules stand under Budgets, keys and backups under Wallets.',
  saved: 'Saved.',
  save: 'Save',
  saving: 'Saving…',
} as const;

export const networkTexts = {
  title: 'Networks',
  note: 'Where your accounts can pay, and the servers (RPC) over which Bursar reads each network. With real money two independent servers have to agree before money counts as free again.',
  sandbox: 'The sandbox runs these networks on this computer. They cannot be changed.',
  enabled: 'Enabled',
  servers: (count: number) => (count === 1 ? 'One server' : `${count} servers`),
  own: 'set by you',
  builtIn: 'built in',
  oneServer: 'Only one server: give a second one of another operator.',
  others: (count: number) => (count === 1 ? 'One more network' : `${count} more networks`),
  change: 'Change…',
  changeOne: (name: string) => `Change ${name}`,
  enable: 'Enable…',
  enableOne: (name: string) => `Enable ${name}`,
  dialog: (name: string) => `RPC addresses of ${name}`,
  dialogNote: 'One address a line, the one to ask first at the top. An address may hold a key of yours: it lies in Bursar’s configuration file.',
  addresses: 'Addresses',
  noAddress: 'Give at least one address.',
  tooMany: 'Give at most ten addresses.',
  wrongAddress: (line: string) => `“${line}” is not an address that begins with https:// or http://.`,
  check: 'Check them',
  checking: 'Checking…',
  states: { ok: 'Reachable', 'wrong-network': 'Wrong chain', unreachable: 'Not reachable' },
  useBuiltIn: 'Use the built-in ones',
  faucets: 'Test money',
  disable: 'Disable',
  disableOne: (name: string) => `Disable ${name}`,
  disabled: (name: string) => `${name} is disabled.`,
  none: 'No network is enabled, so nothing can be paid on a chain.',
} as const;

export const facilitatorTexts = {
  title: 'Facilitators',
  note: 'Who settles where Bursar settles by itself: for sellers that leave that to the buyer, and for links that people claim. The first one is asked first.',
  own: 'set by you',
  builtIn: 'built in',
  all: 'Every other network',
  change: 'Change…',
  changeOne: (name: string) => `Change the facilitators of ${name}`,
  dialog: (name: string) => `Facilitators of ${name}`,
  dialogNote: 'One address a line, the one to ask first at the top.',
  reset: 'Back to the built-in ones',
  wasReset: 'The built-in ones are asked again.',
  none: 'No network is enabled.',
} as const;

const notificationTexts: Readonly<Record<NotificationKind, { readonly label: string; readonly note: string }>> = {
  approvals: { label: 'A payment waits for you', note: 'A notification never approves anything: it opens the approval window.' },
  warnings: { label: 'Something needs your attention', note: 'A low balance, a server that waits for you to sign in, a ledger that was changed.' },
};

export const desktopTexts = {
  title: 'Desktop',
  notifications: 'Notifications',
  kinds: notificationTexts,
  noNotifications: 'In the browser Bursar sends no notifications. What waits for you stands on every page.',
  autostart: 'Start',
  autostartOn: 'Start Bursar when you sign in',
  autostartNote: 'Bursar then waits in the background, so that your agents always reach it.',
  noAutostart: 'Starting with your session is not available here. A client that is registered starts Bursar by itself when it needs it.',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  themeNote: 'For this computer, or this browser.',
  lockOn: 'Lock',
  locks: {
    screenLock: { label: 'Lock with the screen', note: 'When you lock the screen, on macOS and Windows.' },
    sleep: { label: 'Lock on sleep', note: 'When the computer goes to sleep.' },
  },
  updates: 'Newer versions',
  updatesOn: 'Look for newer versions',
  updatesNote: { install: 'Each day. You are asked before one is put in place.', notice: 'Each day. You are told, and install them yourself.' },
} as const;

export const dayTexts = {
  title: 'Currency and day',
  currency: 'Reference currency',
  dollar: 'US dollars',
  dollarNote: 'Limits are counted in it. Stable coins count one to one.',
  timeZone: 'Time zone',
  timeZoneNote: 'Daily, weekly and monthly limits begin at midnight there. What was spent today is counted anew in the new zone.',
  saved: (zone: string) => `Days begin at midnight in ${zone}.`,
} as const;

export const dataTexts = {
  title: 'Your data',
  folder: 'Data folder',
  folderNote: 'Ledger, settings and, where there is no keychain, the sealed keys. Do not copy it while Bursar runs: make a backup.',
  openFolder: 'Open',
  openFolderLong: 'Open the data folder',
  folderPath: 'the path of the data folder',
  history: 'Everything that was paid',
  historyNote: 'All payments, as a file for a spreadsheet or a program.',
  backup: 'Backup',
  backupNote: 'One encrypted file with everything: keys, budgets, ledger, servers, clients, settings.',
  makeBackup: 'Make a backup…',
  firstSteps: 'First steps',
  firstStepsNote: 'Money, a paid call, a client: the three steps of the beginning.',
  openFirstSteps: 'Show them again',
} as const;

export const lockTexts = {
  title: 'Lock',
} as const;

export const moneyKindTexts = {
  title: 'Kind of money',
  now: 'Now',
  note: 'Play, test and real money live in folders of their own, each with its own accounts, budgets and history. Nothing moves between them.',
  how: 'Start it with',
  open: (kind: string) => `Open ${kind}`,
  opening: 'Opening…',
  opened: (kind: string) => `Bursar for ${kind} opens in a window of its own.`,
  howMore: 'They can run side by side. Each has its own address, so register your clients there again.',
  kinds: {
    sandbox: { title: 'Play money', note: 'Local chains on this computer. Only where Bursar runs from its source.' },
    testnet: { title: 'Test networks', note: 'Public networks with money that is worth nothing. Faucets give it away.' },
    mainnet: { title: 'Real money', note: 'Payments move real money and cannot be taken back.' },
  } satisfies Record<Environment, { readonly title: string; readonly note: string }>,
  realWarning: 'Begin small. Keep on the account only what you can lose: a program that runs as you could get at it.',
  realFirst: 'It begins with your passphrase and with small limits, which you see before the first payment: at most 1.00 USD a call and 10.00 USD a day, and every payment asks you.',
  command: (kind: string) => `the command for ${kind}`,
} as const;

export const resetTexts = {
  title: 'Start over',
  note: { deletes: 'Delete all play money, its accounts, its history and its settings.', keeps: 'Begin anew. Your keys and your ledger are not deleted: the whole folder is put aside.' },
  open: 'Start over…',
  dialog: 'Start over',
  deletes: 'Bursar ends. Accounts, history, budgets, servers and clients of this play-money folder are deleted for good.',
  keeps: [
    'Bursar ends. Its folder with ledger, keys and settings is moved beside, under today’s date. Nothing in it is deleted, and keys in the keychain stay there.',
    'At its next start there are no accounts, budgets, servers or clients. Move the folder back to have them again.',
    'Payments that are not final are followed no more until then. Make a backup first.',
  ],
  clients: 'Entries in your clients’ files stay. Undo them first on the page for clients, or write them anew afterwards.',
  word: (word: string) => `Type “${word}”`,
  wrongWord: (word: string) => `Type the word “${word}”.`,
  confirm: { deletes: 'Delete it', keeps: 'Put it aside' },
  working: 'Ending…',
  done: 'Bursar ends',
  doneDeleted: 'The play money is deleted. Start Bursar again to begin anew.',
  doneKept: 'Everything is kept in the folder below. Start Bursar again to begin anew.',
  keptIn: 'Kept in',
} as const;
