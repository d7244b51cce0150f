import { stdioEntry, type ClientSpec } from './client-spec.ts';
import { joinOn } from './folders.ts';

/** Servers of the user, as `claude mcp add -s user` writes them. They stand among much else that it keeps there. */
export const claudeCode: ClientSpec = {
  kind: 'claude-code',
  name: 'Claude Code',
  places(machine) {
    const own = machine.env['CLAUDE_CONFIG_DIR'];
    const path = joinOn(machine, own || machine.home, '.claude.json');
    return [{ path, signs: [path, own || joinOn(machine, machine.home, '.claude')] }];
  },
  shape: { format: 'json', key: 'mcpServers' },
  entry: stdioEntry,
  variables: /\$\{/,
};
