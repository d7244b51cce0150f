import { expect, it } from 'vitest';
import { CLIENT_SPECS } from '../../../src/main/clients/kinds/kinds.ts';
import { ClientKind } from '../../../src/shared/contract/clients.ts';

const pathsOf = (kind: ClientKind, platform: NodeJS.Platform, env: Readonly<Record<string, string>>, home: string) => CLIENT_SPECS[kind].places({ platform, env, home }).map(({ path }) => path);

it.each([
  ['claude-desktop', 'darwin', {}, '/Users/a', ['/Users/a/Library/Application Support/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'win32', { APPDATA: 'D:\\Roaming' }, 'C:\\Users\\a', ['D:\\Roaming\\Claude\\claude_desktop_config.json']],
  ['claude-desktop', 'win32', {}, 'C:\\Users\\a', ['C:\\Users\\a\\AppData\\Roaming\\Claude\\claude_desktop_config.json']],
  ['claude-desktop', 'linux', {}, '/home/a', ['/home/a/.config/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'linux', { XDG_CONFIG_HOME: '/home/a/.xdg' }, '/home/a', ['/home/a/.xdg/Claude/claude_desktop_config.json']],
  ['claude-code', 'linux', {}, '/home/a', ['/home/a/.claude.json']],
  ['claude-code', 'darwin', { CLAUDE_CONFIG_DIR: '/Users/a/cc' }, '/Users/a', ['/Users/a/cc/.claude.json']],
  ['cursor', 'win32', {}, 'C:\\Users\\a', ['C:\\Users\\a\\.cursor\\mcp.json']],
  ['vscode', 'darwin', {}, '/Users/a', ['/Users/a/Library/Application Support/Code/User/mcp.json']],
  ['vscode', 'linux', {}, '/home/a', ['/home/a/.config/Code/User/mcp.json']],
  ['windsurf', 'linux', {}, '/home/a', ['/home/a/.codeium/windsurf/mcp_config.json', '/home/a/.config/devin/mcp_config.json']],
  ['codex', 'linux', {}, '/home/a', ['/home/a/.codex/config.toml']],
  ['codex', 'linux', { CODEX_HOME: '/srv/codex' }, '/home/a', ['/srv/codex/config.toml']],
  ['gemini-cli', 'darwin', {}, '/Users/a', ['/Users/a/.gemini/settings.json']],
  ['zed', 'darwin', { XDG_CONFIG_HOME: '/Users/a/.xdg' }, '/Users/a', ['/Users/a/.config/zed/settings.json']],
  ['zed', 'win32', {}, 'C:\\Users\\a', ['C:\\Users\\a\\AppData\\Roaming\\Zed\\settings.json']],
] as const)('looks for %s in the wrong place on %s with %o', (kind, platform, env, home, paths) => {
  expect(pathsOf(kind, platform, env, home)).toEqual(paths);
});

it('an entry lacks what its client wants, or a kind is listed under another one', () => {
  const registration = { command: '/node', args: ['/shim.js'], env: { T: 't' } };
  const entries = Object.fromEntries(ClientKind.options.map((kind) => [kind, CLIENT_SPECS[kind].entry(registration)]));
  expect(entries).toEqual({
    'claude-desktop': registration,
    'claude-code': { type: 'stdio', ...registration },
    cursor: registration,
    vscode: { type: 'stdio', ...registration },
    windsurf: registration,
    codex: { ...registration, tool_timeout_sec: 600 },
    'gemini-cli': registration,
    zed: { source: 'custom', ...registration },
  });
  expect(Object.values(CLIENT_SPECS).map(({ kind }) => kind)).toEqual(ClientKind.options);
});

it('an install link loses a byte of what it installs', () => {
  const entry = { command: '/n', args: ['a b', 'ü&+'] };
  const cursor = new URL(CLIENT_SPECS.cursor.installLink?.('bursar-all', entry) ?? '');
  expect([cursor.protocol, cursor.host, cursor.pathname, cursor.searchParams.get('name')]).toEqual(['cursor:', 'anysphere.cursor-deeplink', '/mcp/install', 'bursar-all']);
  expect(JSON.parse(Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString())).toEqual(entry);
  const vscode = CLIENT_SPECS.vscode.installLink?.('bursar-all', entry) ?? '';
  expect(vscode).toMatch(/^vscode:mcp\/install\?/);
  expect(JSON.parse(decodeURIComponent(vscode.split('?')[1] ?? ''))).toEqual({ name: 'bursar-all', ...entry });
});
