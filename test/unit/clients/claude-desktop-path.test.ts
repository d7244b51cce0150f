import { expect, it } from 'vitest';
import { claudeDesktopConfigPath } from '../../../src/main/clients/claude-desktop-path.ts';

it.each([
  ['darwin', {}, '/Users/a', '/Users/a/Library/Application Support/Claude/claude_desktop_config.json'],
  ['win32', { APPDATA: 'D:\\Roaming' }, 'C:\\Users\\a', 'D:\\Roaming\\Claude\\claude_desktop_config.json'],
  ['win32', {}, 'C:\\Users\\a', 'C:\\Users\\a\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
  ['linux', {}, '/home/a', '/home/a/.config/Claude/claude_desktop_config.json'],
  ['linux', { XDG_CONFIG_HOME: '/home/a/.xdg' }, '/home/a', '/home/a/.xdg/Claude/claude_desktop_config.json'],
] as const)('looks in the wrong place on %s with %o', (platform, env, home, path) => {
  expect(claudeDesktopConfigPath(platform, env, home)).toBe(path);
});
