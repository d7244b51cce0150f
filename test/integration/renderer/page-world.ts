import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { build } from 'vite';
import { WebSocketServer, type WebSocket } from 'ws';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { securityHeaders } from '../../../src/main/web/security-headers.ts';
import type { Envelope, RequestFrame, RouteName, Topic } from '../../../src/shared/contract/contract.ts';
import type { ErrorCode } from '../../../src/shared/errors/codes.ts';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const root = fileURLToPath(new URL('../../../', import.meta.url));

type Answer = (input: Record<string, unknown>) => unknown;

/** A refusal, to be thrown by an answer. */
export class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message = code as string) {
    super(message);
    this.code = code;
  }
}

export interface PageWorld {
  /** What main answers; a test changes it as it goes. A route without an answer is refused as `NOT_FOUND`. */
  readonly answers: Partial<Record<RouteName, Answer>>;
  readonly calls: readonly { readonly route: string; readonly input: Record<string, unknown> }[];
  emit(topic: Topic): void;
  /** Ends all connections; while `refuse` is on none is accepted. */
  drop(refuse: boolean): void;
  accept(): void;
  /** Opens the page with a fresh browser context. CSP violations and page errors are collected in `complaints`. */
  open(options?: BrowserContextOptions & { readonly hash?: string }): Promise<Page>;
  readonly complaints: readonly string[];
  /** The WebSocket protocols that each connection offered. */
  readonly offered: readonly (readonly string[])[];
  close(): Promise<void>;
}

/** Builds one page as it ships and serves it to a real Chromium, with a main behind it that answers as the test says. */
export async function openPageWorld(name: 'approval' | 'dashboard'): Promise<PageWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-page-'));
  await build({
    configFile: false,
    root: join(root, 'src/renderer'),
    base: './',
    logLevel: 'error',
    plugins: [react(), tailwindcss()],
    build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input: join(root, 'src/renderer', `${name}.html`) } },
  });
  const answers: PageWorld['answers'] = {};
  const calls: { route: string; input: Record<string, unknown> }[] = [];
  const complaints: string[] = [];
  const offered: string[][] = [];
  const sockets = new Set<WebSocket>();
  let refusing = false;

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    readFile(join(folder, pathname)).then(
      (body) => response.writeHead(200, { ...securityHeaders("'self' ws://localhost:*"), 'content-type': TYPES[extname(pathname)] ?? 'text/plain' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  const webSockets = new WebSocketServer({ server, path: `/ws/${name}`, verifyClient: () => !refusing });
  const reply = (route: string, input: Record<string, unknown>): Envelope<unknown> => {
    const answer = answers[route as RouteName];
    try {
      if (!answer) throw new Refusal('NOT_FOUND');
      return { ok: true, value: answer(input) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, error: { code: error.code, message: error.message, hint: 'What to do.', context: {} } };
    }
  };
  webSockets.on('connection', (socket, { headers }) => {
    offered.push(headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? []);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (raw: Buffer) => {
      const { id, route, input } = JSON.parse(raw.toString()) as RequestFrame & { input: Record<string, unknown> };
      calls.push({ route, input });
      socket.send(JSON.stringify({ id, reply: reply(route, input) }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium on this machine');
  const browser: Browser = await chromium.launch({ executablePath, args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });

  return {
    answers,
    calls,
    complaints,
    offered,
    emit: (topic) => sockets.forEach((socket) => socket.send(JSON.stringify({ event: { topic } }))),
    drop(refuse) {
      refusing = refuse;
      for (const socket of sockets) socket.terminate();
    },
    accept: () => (refusing = false),
    async open({ hash = '', ...options } = {}) {
      const context = await browser.newContext({ locale: 'en-US', ...options });
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        // A refused socket is the browser's own word about a lost connection, which some tests make.
        if (message.type() === 'error' && !message.text().includes('WebSocket')) complaints.push(message.text());
      });
      await page.goto(`http://localhost:${port}/${name}.html${hash}`);
      return page;
    },
    async close() {
      await browser.close();
      webSockets.close();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
