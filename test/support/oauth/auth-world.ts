import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createUpstreamGrants } from '../../../src/main/adapters/store/upstream-grants.ts';
import { createUpstreams } from '../../../src/main/adapters/store/upstreams.ts';
import { createLog } from '../../../src/main/adapters/home/log.ts';
import { createBridge, type Bridge } from '../../../src/main/bridge/bridge.ts';
import type { PaymentHook } from '../../../src/main/bridge/payment-hook.ts';
import type { Resolve } from '../../../src/main/http-buyer/address-guard.ts';
import { createUpstreamAuths, type UpstreamAuths } from '../../../src/main/upstream-auth/upstream-auth.ts';
import { createUpstreamRegistry, type Upstreams } from '../../../src/main/upstreams.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { browse } from './browser.ts';

const NO_PAYMENTS: PaymentHook = { looksPaid: () => false, onAnswer: () => Promise.reject(new Error('nothing is paid here')) };

export interface AuthWorldOptions {
  /** A folder that an earlier world has left. */
  readonly folder?: string;
  readonly hook?: PaymentHook;
  readonly clientMetadataUrl?: string;
  readonly openHosts?: readonly string[];
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

export interface RpcAnswer {
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code: string; readonly hint: string } };
}

/** Bursar's servers, their tokens and its data path over a real database, in this process. */
export interface AuthWorld {
  readonly folder: string;
  readonly bridge: Bridge;
  readonly auths: UpstreamAuths;
  readonly upstreams: Upstreams;
  /** How often the state of a server was said to have changed. */
  readonly changes: () => number;
  /** The keys are locked as long as it is set. Reload after a change. */
  setLocked(locked: boolean): Promise<void>;
  /** Moves the clock of tokens. */
  later(ms: number): void;
  /** Signs in as an owner with a browser does; the end of it. */
  signIn(name: string): Promise<Awaited<ReturnType<typeof browse>>>;
  /** A client of its own session, after its handshake. */
  client(name: string): Promise<(tool: string) => Promise<RpcAnswer>>;
  /** Everything in the folder, as it lies on the disk: database, its log, the program's log. */
  written(): Promise<string>;
  close(): Promise<void>;
}

export async function openAuthWorld({ folder = mkdtempSync(join(tmpdir(), 'bursar-auth-')), hook = NO_PAYMENTS, clientMetadataUrl, openHosts = [], resolve, timeoutMs }: AuthWorldOptions = {}): Promise<AuthWorld> {
  let locked = false;
  let offset = 0;
  let changes = 0;
  const clock = { now: () => Date.now() + offset };
  const db = openDatabase(join(folder, 'bursar.db'));
  const log = createLog({ path: join(folder, 'logs', 'bursar.log') });
  const sealer = createSealer(() => {
    if (locked) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    return new Uint8Array(32).fill(7);
  });
  const auths = createUpstreamAuths({
    grants: createUpstreamGrants(db, clock, sealer),
    isOpenHost: ({ host, hostname }) => openHosts.includes(host) || openHosts.includes(hostname),
    clientMetadataUrl: () => clientMetadataUrl,
    locked: () => locked,
    command: (words) => `bursar ${words}`,
    now: clock.now,
    changed: () => void (changes += 1),
    log,
    ...(resolve && { resolve }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const upstreams = await createUpstreamRegistry(createUpstreams(db, clock, sealer), auths);
  const bridge = createBridge({ upstreams: (name) => upstreams.spec(name), hook, log });
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await bridge.close();
    await auths.close();
    log.close();
    db.close();
  };
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    folder,
    bridge,
    auths,
    upstreams,
    changes: () => changes,
    async setLocked(value) {
      locked = value;
      await upstreams.reload();
    },
    later: (ms) => void (offset += ms),
    async signIn(name) {
      const url = await auths.begin(name);
      const shown = await browse(url);
      await auths.ended(name, 5_000);
      return shown;
    },
    client: (name) => connect(bridge, name),
    async written() {
      db.pragma('wal_checkpoint(TRUNCATE)');
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n');
    },
    close,
  };
}

async function connect(bridge: Bridge, name: string): Promise<(tool: string) => Promise<RpcAnswer>> {
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  let next = 0;
  const session = bridge.connect({
    client: 'tester',
    upstream: name,
    main: {
      open: true,
      streams: true,
      write(text, options) {
        options?.done?.(true);
        const { id, ...answer } = JSON.parse(text) as RpcAnswer & { id: number };
        waiting.get(id)?.(answer);
      },
      end: () => undefined,
    },
  });
  const ask = (method: string, params: unknown): Promise<RpcAnswer> =>
    new Promise((resolve) => {
      const id = ++next;
      waiting.set(id, resolve);
      session.accept(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  const initialized = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } });
  if (initialized.result) session.accept('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return (tool) => ask('tools/call', { name: tool, arguments: {} });
}
