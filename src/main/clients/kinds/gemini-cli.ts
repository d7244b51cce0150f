import { plainEntry, type ClientSpec } from './client-spec.ts';
import { fileIn } from './folders.ts';

export const geminiCli: ClientSpec = {
  kind: 'gemini-cli',
  name: 'Gemini CLI',
  places: (machine) => [fileIn(machine, machine.home, '.gemini', 'settings.json')],
  shape: { format: 'jsonc', key: 'mcpServers' },
  entry: plainEntry,
  variables: /\$\{|\$[A-Za-z_]/,
};
