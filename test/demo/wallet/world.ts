import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { runCli, startApp, type AppProcess } from '../../support/app-process.ts';
import { usdcBalance } from '../../support/chain-balance.ts';
import { ownerContract, type OwnerContract } from '../../support/contract.ts';
import { startMailCatcher, type MailCatcher } from '../../support/mail-catcher.ts';
import { openOwnerBrowser, type OwnerBrowser } from '../../support/owner-browser.ts';
import { sandboxEnv } from '../../support/sandbox-env.ts';
import { openTerminal } from '../../support/terminal.ts';

export const EVM = 'eip155:84532';
export const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
export const PASSPHRASE = 'correct horse battery';

export interface AgentResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** An agent with the MCP SDK's client. */
export interface Agent {
  tools(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<AgentResult>;
  close(): Promise<void>;
}

/** What the wallet's story is played in: real chains, the built application, its owner at a browser, and a mail server that catches what is sent. */
export interface WalletWorld {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly mail: MailCatcher;
  readonly app: AppProcess;
  readonly owner: OwnerBrowser;
  readonly contract: OwnerContract;
  /** One `bursar` command over the data folder, or over another one. */
  cli(words: readonly string[], input?: string, over?: string): Promise<string>;
  /** The object that a command prints with `--json`. */
  json<T>(words: readonly string[], input?: string): Promise<T>;
  /** USDC in base units, from the chain's own RPC. */
  held(network: string, address: string): Promise<bigint>;
  agent(login: { readonly token: string } | { readonly authProvider: OAuthClientProvider }): Promise<Agent>;
  /** Starts another application over a folder, on the same chains. */
  startOver(home: string): Promise<AppProcess>;
  /** Ends the application and starts it again, so much later by its clock (ms). */
  restart(laterMs: number): Promise<void>;
  close(): Promise<void>;
}

const laterClock = pathToFileURL(new URL('../../support/later.mjs', import.meta.url).pathname).href;

/** Starts everything on play money, with a passphrase set. */
export async function openWalletWorld(): Promise<WalletWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-wallet-demo-'));
  const open: (() => Promise<unknown> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const step of open.splice(0).toReversed()) await step();
  };
  try {
    const sandbox = await startSandbox({ faults: true });
    open.push(() => sandbox.close());
    const mail = await startMailCatcher();
    open.push(() => mail.close());
    const passphraseFile = join(folder, 'passphrase');
    writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
    const env = { ...sandboxEnv(sandbox), BURSAR_PASSPHRASE_FILE: passphraseFile };
    const home = join(folder, 'home');
    await firstPassphrase(home, env);

    let app = await startApp({ home, env });
    let contract = await ownerContract(home);
    open.push(() => app.stop(), () => contract.close());
    const owner = await openOwnerBrowser(app.dashboard);
    open.push(() => owner.close());
    const cli = (words: readonly string[], input = '', over = home) => runCli(['--home', over, ...words], { input, env });
    return {
      folder,
      sandbox,
      mail,
      get app() {
        return app;
      },
      owner,
      get contract() {
        return contract;
      },
      cli,
      json: async <T>(words: readonly string[], input = '') => JSON.parse(await cli([...words, '--json'], input)) as T,
      held: (network, address) => usdcBalance(sandbox, network, address),
      async agent(login) {
        const client = new Client({ name: 'wallet-demo', version: '1.0.0' });
        await client.connect(new StreamableHTTPClientTransport(new URL(app.mcp), 'token' in login ? { requestInit: { headers: { authorization: `Bearer ${login.token}` } } } : login));
        await client.listTools();
        return {
          tools: async () => (await client.listTools({}, { cacheMode: 'refresh' } as object)).tools.map(({ name }) => name),
          call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as unknown as AgentResult,
          close: () => client.close(),
        };
      },
      startOver: (other) => startApp({ home: other, env }),
      async restart(laterMs) {
        contract.close();
        await app.stop();
        app = await startApp({ home, env: { ...env, NODE_OPTIONS: `--import=${laterClock}`, BURSAR_LATER_MS: String(laterMs) } });
        contract = await ownerContract(home);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A passphrase is typed, and nothing else sets the first one: so the application runs once, and then a terminal is opened on its folder. */
async function firstPassphrase(home: string, env: Readonly<Record<string, string>>): Promise<void> {
  await (await startApp({ home, env })).stop();
  const terminal = openTerminal(['--home', home, 'passphrase', 'set']);
  for (const question of ['New passphrase', 'The same again']) {
    await terminal.saw(question);
    terminal.type(`${PASSPHRASE}\r`);
  }
  if ((await terminal.exited) !== 0) throw new Error(`no passphrase was set: ${terminal.printed()}`);
}
