import { stdioEntry, type ClientSpec } from './client-spec.ts';
import { fileIn, programFolder } from './folders.ts';

/** The user's own `mcp.json`; a folder's `.vscode/mcp.json` is shared with others and is left alone. */
export const vscode: ClientSpec = {
  kind: 'vscode',
  name: 'VS Code',
  places: (machine) => [fileIn(machine, programFolder(machine), 'Code', 'User', 'mcp.json')],
  shape: { format: 'jsonc', key: 'servers' },
  entry: stdioEntry,
  variables: /\$\{/,
  installLink: (name, entry) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`,
};
