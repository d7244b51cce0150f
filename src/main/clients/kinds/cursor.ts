import { plainEntry, type ClientSpec } from './client-spec.ts';
import { fileIn } from './folders.ts';

export const cursor: ClientSpec = {
  kind: 'cursor',
  name: 'Cursor',
  places: (machine) => [fileIn(machine, machine.home, '.cursor', 'mcp.json')],
  shape: { format: 'jsonc', key: 'mcpServers' },
  entry: plainEntry,
  variables: /\$\{/,
  installLink: (name, entry) => `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString('base64'))}`,
};
