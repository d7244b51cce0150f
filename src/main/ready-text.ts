import type { Environment } from '../shared/contract/app.ts';
import { bursarCommand } from './bursar-command.ts';
import type { Engine } from './engine.ts';
import { clientEntries, TOKEN_PLACEHOLDER, type ProgramFiles } from './program-files.ts';

export interface Ready {
  readonly engine: Engine;
  readonly files: ProgramFiles;
  readonly mcp: string;
  /** Why HTTP clients cannot reach it now; empty where they can. */
  readonly httpProblem: string;
  /** Empty while the keys are locked: it lies under the data key. */
  readonly token: string;
  /** Empty where the application has windows of its own. */
  readonly dashboard: string;
  /** Empty where no passphrase waits to be set, or none is asked for. */
  readonly setupCode: string;
}

const MONEY: Readonly<Record<Environment, string>> = {
  sandbox: 'play money (local chains; nothing here is worth anything)',
  testnet: 'test networks',
  mainnet: 'REAL MONEY',
};

/** What the terminal says once the application is up: how it is reached, where things lie, and the JSON for a client. */
export function readyText({ engine, files, mcp, httpProblem, token, dashboard, setupCode }: Ready): string {
  const { home, keysBackend, wallet } = engine;
  const command = (words: string) => bursarCommand(words, home);
  const waitsForPassphrase = wallet.locked && !wallet.passphraseSet;
  const lines = [
    ...(dashboard ? [['Dashboard', dashboard], ['', `(opens once; for another address: ${command('dashboard')})`]] : [['Dashboard', 'in its window, and in the tray']]),
    ...(setupCode ? [['Setup code', setupCode], ['', 'The dashboard wants it with the first passphrase. It proves that you started Bursar; tell it to no program.']] : []),
    ['MCP address', `${mcp}/<server>, or ${mcp} for all servers`],
    ...(waitsForPassphrase ? [] : [['MCP token', token || 'unlock Bursar on the dashboard first; its Connect page shows the token']]),
    ...(engine.paidApi ? [['Paid API', engine.paidApi], ['', `(buy of it with: ${command(`pay-url "${engine.paidApi}/x402-v2/sun_times?latitude=52.5&longitude=13.4&date=2026-06-21"`)})`]] : []),
    ['Keys', waitsForPassphrase ? 'none yet, and no keychain answered here: set a passphrase on the dashboard, which makes them' : keysBackend],
    ['Data', home.folder],
  ].map(([name = '', value = '']) => `  ${name.padEnd(13)}${value}`);
  const entries = clientEntries({ files, home: home.folder, servers: 'all', client: 'default', token: token || TOKEN_PLACEHOLDER });
  const connect =
    engine.upstreamNames().length === 0
      ? `No server yet: add one with
  ${command('upstream add NAME --url URL')}`
      : `For Claude Desktop, put this into claude_desktop_config.json, or press Register on the dashboard's Connect page:

${JSON.stringify({ mcpServers: entries }, null, 2)}`;
  return `
Bursar runs on ${MONEY[home.environment]}.
${httpProblem && `\n${httpProblem}\n`}
${lines.join('\n')}

${connect}

Stop with Ctrl-C.
`;
}

/** The setup code, where the owner has yet to set a passphrase and nothing is paid before. */
export const setupCodeToShow = ({ home, wallet, setupCode }: Pick<Engine, 'home' | 'wallet' | 'setupCode'>): string =>
  !wallet.passphraseSet && (wallet.locked || home.environment === 'mainnet') ? setupCode : '';
