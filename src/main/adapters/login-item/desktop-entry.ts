import type { LoginCommand } from './xdg-autostart.ts';

/** Content of an autostart file that runs the command without a window (Desktop Entry Specification). */
export const desktopEntry = ({ command, args, env = {} }: LoginCommand): string => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [...(variables.length === 0 ? [] : ['env', ...variables]), command, ...args];
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Bursar',
    'Comment=Pays MCP servers that ask for money, within your limits',
    `Exec=${words.map(execWord).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
};

/**
 * One word of an `Exec` line. Two rules apply one after the other: quoting of the word (`"`, `` ` ``, `$` and `\` behind a backslash), then
 * that of every string value (each backslash doubled); `%` begins a field code and is doubled. A line break has no form there.
 */
function execWord(word: string): string {
  if (/[\0\n\r]/.test(word)) throw new Error('a path of this program holds a line break, which an autostart file cannot say');
  const quoted = /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
  return quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%');
}
