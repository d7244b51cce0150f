import { useRead } from '../server-state.tsx';
import { CopyButton } from './texts.tsx';

/** A command to be copied into a terminal. */
export const CommandLine = ({ command, what }: { readonly command: string; readonly what: string }) => (
  <p className="flex items-start justify-between gap-2 rounded-lg bg-inset px-3 py-2 text-left">
    <code className="min-w-0 font-mono text-sm wrap-anywhere">{command}</code>
    <CopyButton text={command} what={what} />
  </p>
);

/** A command of this Bursar: `words` after the way in which this data folder's command line is called. */
export function OwnCommandLine({ words, what }: { readonly words: string; readonly what: string }) {
  const status = useRead('app.status', {}).data;
  return status ? <CommandLine command={`${status.commandLine} ${words}`} what={what} /> : undefined;
}
