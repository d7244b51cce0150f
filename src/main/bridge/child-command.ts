/** What `child_process.spawn` is given to run a configured command. */
export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already (Windows). */
  readonly windowsVerbatimArguments: boolean;
}

const CMD_META = /([()\][%!^"`<>&|;, *?])/g;

/**
 * Runs a program directly, never through a shell. The exception is Windows, where `npx` and its like are batch files,
 * which only `cmd.exe` can start: there everything but an `.exe` goes through it, each word quoted for both readers.
 */
export function childCommand(command: string, args: readonly string[], platform: NodeJS.Platform = process.platform, comSpec = process.env['ComSpec'] ?? 'cmd.exe'): ChildCommand {
  if (platform !== 'win32' || /\.(?:exe|com)$/i.test(command)) return { file: command, args, windowsVerbatimArguments: false };
  const line = [command.replace(CMD_META, '^$1'), ...args.map(quoteForBatch)].join(' ');
  return { file: comSpec, args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** Quotes as the C runtime reads it, then escapes twice: `cmd.exe` reads the line, and the batch file's `%*` again. */
function quoteForBatch(argument: string): string {
  const quoted = `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return quoted.replace(CMD_META, '^$1').replace(CMD_META, '^$1');
}
