const POSIX = ['HOME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];
const WINDOWS = [
  'APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE', 'PROGRAMDATA',
  'PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR',
];

/**
 * The whole environment of an upstream's process: what any program needs to run, and what the owner configured. Nothing
 * else of ours is inherited (I6).
 */
export function childEnvironment(
  configured: Readonly<Record<string, string>> = {},
  own: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const names = new Set(platform === 'win32' ? WINDOWS : POSIX);
  const base = Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined && names.has(platform === 'win32' ? entry[0].toUpperCase() : entry[0]));
  return { ...Object.fromEntries(base), ...configured };
}
