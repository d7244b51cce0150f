import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import type { ClientKind } from '../../src/shared/contract/clients.ts';

/** A client's file as a person has it, odd where the client allows that. It holds one server called `files`. */
export interface PersonsFile {
  readonly path: string;
  readonly text: string;
  /** The servers in it, read by a parser that Bursar's editing does not use for its result. */
  servers(text: string): Record<string, { readonly env?: Readonly<Record<string, string>> }>;
}

const JSON_FILE = '{\n    "theme": "dark", "scale": 1.50e+0,\n    "mcpServers": {\n        "files": {"command":"no-such-server",  "args": ["files"], "env": { "KEY": "sk-1" }}\n    }\n}\n';
const jsonc = (key: string, more = ''): string => `\uFEFF{\r\n\t// mine, not yours\r\n\t"${key}": {\r\n\t\t"files": { "command": "no-such-server", "args": ["files"], "env": { "KEY": "sk-1" } }, // last\r\n\t},${more}\r\n}\r\n`;
const TOML_FILE = 'model = "test" # why\n\n[mcp_servers.files] # mine\ncommand = "no-such-server"\nargs = [ "files" ] # one\n\n[mcp_servers.files.env]\nKEY = "sk-1"\n\n# the end\n[history]\npersistence = "none"\n';
/** Its parser takes comments and no trailing commas; a folder is trusted by settings alone, as nobody is there to ask. */
const GEMINI_FILE = '{\n  // mine\n  "security": { "folderTrust": { "enabled": false }, "auth": { "selectedType": "gemini-api-key" } },\n  "mcpServers": {\n    "files": { "command": "no-such-server", "args": ["files"], "env": { "KEY": "sk-1" } } // last\n  }\n}\n';

const json = (key: string) => (text: string) => (parseJsonc(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }) as Record<string, ReturnType<PersonsFile['servers']>>)[key] ?? {};

const FILES: Readonly<Record<ClientKind, { readonly at: readonly string[]; readonly text: string; readonly servers: PersonsFile['servers'] }>> = {
  'claude-desktop': { at: ['.config', 'Claude', 'claude_desktop_config.json'], text: JSON_FILE, servers: json('mcpServers') },
  'claude-code': { at: ['.claude.json'], text: JSON_FILE, servers: json('mcpServers') },
  cursor: { at: ['.cursor', 'mcp.json'], text: jsonc('mcpServers'), servers: json('mcpServers') },
  vscode: { at: ['.config', 'Code', 'User', 'mcp.json'], text: jsonc('servers', ' "inputs": [ ]'), servers: json('servers') },
  windsurf: { at: ['.codeium', 'windsurf', 'mcp_config.json'], text: jsonc('mcpServers'), servers: json('mcpServers') },
  codex: { at: ['.codex', 'config.toml'], text: TOML_FILE, servers: (text) => (JSON.parse(JSON.stringify(parseToml(text))) as { mcp_servers: ReturnType<PersonsFile['servers']> }).mcp_servers },
  'gemini-cli': { at: ['.gemini', 'settings.json'], text: GEMINI_FILE, servers: json('mcpServers') },
  zed: { at: ['.config', 'zed', 'settings.json'], text: jsonc('context_servers', '\r\n\t"vim_mode": true'), servers: json('context_servers') },
};

/** Writes every client's file into a home folder, as Linux has them. */
export function writePersonsFiles(home: string): Readonly<Record<ClientKind, PersonsFile>> {
  const written = Object.entries(FILES).map(([kind, { at, text, servers }]) => {
    const path = join(home, ...at);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o640);
    return [kind, { path, text, servers }];
  });
  return Object.fromEntries(written) as Record<ClientKind, PersonsFile>;
}
