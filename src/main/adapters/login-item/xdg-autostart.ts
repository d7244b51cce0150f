import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { LoginItem } from '../../../shared/login-item.ts';
import { writeFileAtomically } from '../home/files.ts';
import { desktopEntry } from './desktop-entry.ts';

/** What is started, as a shim would start it. */
export interface LoginCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface XdgAutostartOptions {
  readonly launch: LoginCommand;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Elsewhere there is no such folder that anything would read. */
  readonly platform?: NodeJS.Platform;
}

/** Path of the entry (Desktop Application Autostart Specification): `$XDG_CONFIG_HOME/autostart/bursar.desktop`, by default under `~/.config`. */
export function autostartPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  // A relative XDG path is invalid and to be ignored (XDG Base Directory Specification).
  const config = env['XDG_CONFIG_HOME'] && isAbsolute(env['XDG_CONFIG_HOME']) ? env['XDG_CONFIG_HOME'] : join(env['HOME'] || homedir(), '.config');
  return join(config, 'autostart', 'bursar.desktop');
}

/** A session's desktop starts what lies in the autostart folder. One entry for the user: the last data folder that was switched on has it. */
export function createXdgAutostart({ launch, env = process.env, platform = process.platform }: XdgAutostartOptions): LoginItem {
  const path = autostartPath(env);
  return {
    supported: platform === 'linux',
    async get() {
      if (!existsSync(path)) return false;
      const text = readFileSync(path, 'utf8');
      // How desktops switch an entry off without removing it.
      return !/^Hidden\s*=\s*true\s*$/im.test(text) && !/^X-GNOME-Autostart-enabled\s*=\s*false\s*$/im.test(text);
    },
    async set(on) {
      try {
        if (!on) return rmSync(path, { force: true });
        mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
        writeFileAtomically(path, desktopEntry(launch));
      } catch (error) {
        throw new BursarError('LOGIN_ITEM_FAILED', `The autostart file ${path} could not be ${on ? 'written' : 'removed'}.`, {
          context: { path, reason: error instanceof Error ? error.message : String(error) },
        });
      }
    },
  };
}
