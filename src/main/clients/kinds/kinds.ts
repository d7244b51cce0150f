import type { ClientKind } from '../../../shared/contract/clients.ts';
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import type { ClientSpec } from './client-spec.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { vscode } from './vscode.ts';
import { windsurf } from './windsurf.ts';
import { zed } from './zed.ts';

/** Every client that Bursar can register itself in, as pages list them. */
export const CLIENT_SPECS: Readonly<Record<ClientKind, ClientSpec>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': claudeCode,
  cursor,
  vscode,
  windsurf,
  codex,
  'gemini-cli': geminiCli,
  zed,
};

/** A client by its kind. */
export const clientSpec = (kind: ClientKind): ClientSpec => CLIENT_SPECS[kind];
