import { plainEntry, type ClientSpec } from './client-spec.ts';
import { fileIn } from './folders.ts';

/** So long (s) may a tool take, the owner's decision in it; without a word Codex gives a call up after a minute. */
const TOOL_TIMEOUT_SECONDS = 600;

export const codex: ClientSpec = {
  kind: 'codex',
  name: 'Codex',
  places: (machine) => [fileIn(machine, machine.env['CODEX_HOME'] || machine.home, ...(machine.env['CODEX_HOME'] ? [] : ['.codex']), 'config.toml')],
  shape: { format: 'toml', key: 'mcp_servers' },
  entry: (registration) => ({ ...plainEntry(registration), tool_timeout_sec: TOOL_TIMEOUT_SECONDS }),
};
