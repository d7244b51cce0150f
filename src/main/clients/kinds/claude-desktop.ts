import { plainEntry, type ClientSpec } from './client-spec.ts';
import { fileIn, programFolder } from './folders.ts';

/** Reads its file once, as it starts; its documentation names macOS and Windows, and Linux builds follow XDG. */
export const claudeDesktop: ClientSpec = {
  kind: 'claude-desktop',
  name: 'Claude Desktop',
  places: (machine) => [fileIn(machine, programFolder(machine), 'Claude', 'claude_desktop_config.json')],
  shape: { format: 'json', key: 'mcpServers' },
  entry: plainEntry,
};
