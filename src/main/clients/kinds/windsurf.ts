import { plainEntry, type ClientSpec } from './client-spec.ts';
import { fileIn, xdgFolder } from './folders.ts';

/** One program under two names, each with a file of its own. */
export const windsurf: ClientSpec = {
  kind: 'windsurf',
  name: 'Windsurf / Devin',
  places: (machine) => [fileIn(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'), fileIn(machine, xdgFolder(machine), 'devin', 'mcp_config.json')],
  shape: { format: 'jsonc', key: 'mcpServers' },
  entry: plainEntry,
  variables: /\$\{/,
};
