import { Option, type Command } from 'commander';
import type { DesktopSettings } from '../../shared/contract/desktop.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

type Switch = 'on' | 'off';

interface DesktopOptions {
  readonly lockWithScreen?: Switch;
  readonly lockOnSleep?: Switch;
  readonly updates?: Switch;
  readonly json?: boolean;
}

/** `bursar desktop`: what the desktop application does by itself. */
export function addDesktopCommand(program: Command, { withConnection, print }: CommandTools): void {
  const onOff = (flags: string, description: string) => new Option(`${flags} <on|off>`, description).choices(['on', 'off']);
  program
    .command('desktop')
    .description('show what the desktop application does by itself, or change it')
    .addOption(onOff('--lock-with-screen', 'lock the keys when you lock the screen (macOS, Windows)'))
    .addOption(onOff('--lock-on-sleep', 'lock the keys when the machine goes to sleep'))
    .addOption(onOff('--updates', 'look for newer versions'))
    .option(...JSON_OPTION)
    .action(({ lockWithScreen, lockOnSleep, updates, json }: DesktopOptions) =>
      withConnection(async ({ request }) => {
        const lockOn = { ...(lockWithScreen && { screenLock: lockWithScreen === 'on' }), ...(lockOnSleep && { sleep: lockOnSleep === 'on' }) };
        const change = { ...(Object.keys(lockOn).length > 0 && { lockOn }), ...(updates && { checkForUpdates: updates === 'on' }) };
        const settings = Object.keys(change).length === 0 ? await request('desktop.get', {}) : await request('desktop.set', change);
        print(json, settings, () => lines(settings));
      }),
    );
}

const UPDATES: Readonly<Record<DesktopSettings['updates']['kind'], string>> = {
  install: 'looked for each day; you are asked before one is put in place',
  notice: 'looked for each day; you are told, and install them by yourself',
  none: 'not looked for: this copy of Bursar names no place where they would be',
};

const lines = ({ lockOn, updates }: DesktopSettings): string[] => [
  `Keys locked with the screen: ${lockOn.screenLock ? 'yes' : 'no'}`,
  `Keys locked on sleep:        ${lockOn.sleep ? 'yes' : 'no'}`,
  `Newer versions:              ${updates.kind === 'none' || updates.check ? UPDATES[updates.kind] : 'not looked for, as you set it'}`,
];
