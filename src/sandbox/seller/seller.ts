import { Server, ProtocolError, type CallToolResult, type ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SandboxNetwork } from '../networks.ts';
import { CATALOGUE, type CatalogueItem } from './catalogue.ts';
import { facilitatorClient } from './payment/facilitator-client.ts';
import type { Call, Reply } from './payment/call.ts';
import type { PaymentLog } from './payment/events.ts';
import { openPaymentStore, type PaymentStore } from './payment/store.ts';
import type { PayTo, Product } from './payment/terms.ts';
import { withPayment, type PaymentDesk, type Sale } from './payment/with-payment.ts';
import { createRails, networkOf, type CardAccess, type RailName, type SellerRails } from './rails.ts';
import { thrownCode } from './raw-codes.ts';
import type { Tool, ToolSale } from './tools/tool.ts';

export interface SellerOptions {
  readonly facilitatorUrl: string;
  readonly payTo: PayTo;
  readonly evmRpcUrl: string;
  readonly solanaRpcUrl: string;
  readonly card: CardAccess;
  readonly devSecret: string;
  /** How long a buyer's authorization may stay valid, in seconds. */
  readonly maxTimeoutSeconds?: number;
  /** How long the seller waits for the facilitator. */
  readonly facilitatorTimeoutMs?: number;
  /** How long a stored challenge may be paid, 5 minutes by default. */
  readonly challengeTtlMs?: number;
  /** The file of challenges and used payments; without it they live as long as the process. */
  readonly storeFile?: string;
  /** Payments are verified and not collected. */
  readonly verifyOnly?: boolean;
  /** Tools whose payment requirement is switched off. */
  readonly free?: readonly string[];
  readonly log?: PaymentLog;
}

/** The demo seller: what it sells, over whatever transport. */
export interface Seller {
  readonly desk: PaymentDesk;
  readonly rails: SellerRails['rails'];
  /** Sells a tool in its own dialect. `networks` limits what is offered. */
  call(item: CatalogueItem, call: Call, networks?: readonly SandboxNetwork[]): Promise<Reply>;
  /** Makes a fresh MCP server, for one connection or request. */
  server(options?: ServeOptions): Server;
  close(): void;
}

export interface ServeOptions {
  readonly networks?: readonly SandboxNetwork[];
  /** Headers of the HTTP request that the server is made for. */
  readonly headers?: Call['headers'];
  /** Whether the transport can carry an HTTP status of its own. */
  readonly http?: boolean;
}

const DEFAULT_MAX_TIMEOUT_SECONDS = 120;
const DEFAULT_FACILITATOR_TIMEOUT_MS = 15_000;
const DEFAULT_CHALLENGE_TTL_MS = 300_000;

/** Opens the demo seller. */
export function createSeller(options: SellerOptions): Seller {
  const facilitatorTimeoutMs = options.facilitatorTimeoutMs ?? DEFAULT_FACILITATOR_TIMEOUT_MS;
  const facilitator = facilitatorClient(options.facilitatorUrl, facilitatorTimeoutMs);
  const now = () => Date.now();
  const { payTo, evmRpcUrl, solanaRpcUrl, card, devSecret, verifyOnly = false, log = () => {}, free = [] } = options;
  const maxTimeoutSeconds = options.maxTimeoutSeconds ?? DEFAULT_MAX_TIMEOUT_SECONDS;
  const { rails, settle } = createRails({ facilitator, payTo, maxTimeoutSeconds, evmRpcUrl, solanaRpcUrl, card, devSecret, now });
  const store: PaymentStore = openPaymentStore(options.storeFile);
  const challengeTtlMs = options.challengeTtlMs ?? DEFAULT_CHALLENGE_TTL_MS;
  // Verify and settle, each with its time limit, and what the handler takes.
  const desk: PaymentDesk = { store, settle, log, challengeTtlMs, leaseMs: 2 * facilitatorTimeoutMs + 10_000, verifyOnly, now };

  const seller: Seller = {
    desk,
    rails,
    async call({ tool, sale }, call, networks) {
      const paymentArguments = sale?.dialect.paymentArguments ?? [];
      const input = tool.inputSchema.safeParse(Object.fromEntries(Object.entries(call.args).filter(([name]) => !paymentArguments.includes(name))));
      if (!input.success) return failed(`Input validation error: ${z.prettifyError(input.error)}`);
      const run = (args: Readonly<Record<string, unknown>>): Reply => answer(tool, args);
      if (!sale) return run(call.args);
      return withPayment(desk, saleOf(tool, sale, rails, { enabled: !free.includes(tool.name), ...(networks && { networks }) }), run)(call);
    },
    server: (serve = {}) => createServer(seller, payTo, serve),
    close: () => store.close(),
  };
  return seller;
}

interface SaleOptions {
  readonly enabled: boolean;
  readonly networks?: readonly SandboxNetwork[];
}

function saleOf(tool: Tool, sale: ToolSale, rails: SellerRails['rails'], { enabled, networks }: SaleOptions): Sale {
  const { dialect, price, freeWhen, salesPerMinute } = sale;
  return {
    product: productOf(tool, `mcp://tool/${tool.name}`),
    dialect,
    rails: railsOn(sale.rails, networks).map((name) => rails[name]),
    price: (input) => (freeWhen?.(input) ? undefined : price),
    enabled,
    ...(salesPerMinute !== undefined && { salesPerMinute }),
  };
}

/** A tool as challenges name it. */
export const productOf = ({ name, description }: Tool, url: string): Product => ({ name, url, description, mimeType: 'application/json' });

/** Of some rails, those on one of the networks; all, where that leaves none. */
export function railsOn(names: readonly RailName[], networks: readonly SandboxNetwork[] | undefined): readonly RailName[] {
  const kept = names.filter((name) => networks?.some((network) => network === networkOf(name)));
  return kept.length > 0 ? kept : names;
}

/** A tool's answer as MCP carries it: structured, and the same as text. */
function answer(tool: Tool, args: Readonly<Record<string, unknown>>): Reply {
  try {
    const value = tool.run(args);
    return { kind: 'result', result: { structuredContent: value, content: [{ type: 'text', text: JSON.stringify(value) }] } };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const failed = (text: string): Reply => ({ kind: 'result', result: { isError: true, content: [{ type: 'text', text }] } });

// The low-level server: the other one turns a tool's JSON-RPC errors into text and drops their data.
function createServer(seller: Seller, payTo: PayTo, { networks, headers = {}, http = false }: ServeOptions): Server {
  const server = new Server(
    { name: 'bursar-demo-seller', title: 'Demo seller', version: '1.0.0' },
    {
      capabilities: { tools: {} },
      instructions: 'Facts about time, sun and moon. Tools that cost money answer with a demand for payment until they are paid; each asks in another way.',
    },
  );
  const offered = CATALOGUE.filter(({ sale }) => http || sale?.inFront !== 'only');
  server.setRequestHandler('tools/list', () => ({ tools: offered.map((item) => toolEntry(item, payTo)) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const item = offered.find(({ tool }) => tool.name === params.name);
    if (!item) throw new ProtocolError(-32602, `Tool ${params.name} not found`);
    const reply = await seller.call(item, { args: params.arguments ?? {}, meta: params._meta ?? {}, headers }, networks);
    if (reply.kind === 'error') throw new ProtocolError(thrownCode(reply.code), reply.message, reply.data);
    if (reply.kind === 'http') throw new ProtocolError(-32603, 'This tool is sold over HTTP only.');
    return reply.result as CallToolResult;
  });
  return server;
}

function toolEntry({ tool, sale, note }: CatalogueItem, payTo: PayTo): ListToolsResult['tools'][number] {
  const { name, title, description } = tool;
  const listing = sale?.dialect.listing?.(sale.price, payTo);
  const { $schema: _input, ...input } = z.toJSONSchema(tool.inputSchema, { io: 'input' });
  const { $schema: _output, ...outputSchema } = z.toJSONSchema(tool.outputSchema);
  return {
    name,
    title,
    description: `${description} ${note}`,
    inputSchema: { ...input, type: 'object', properties: { ...(input.properties as object), ...listing?.arguments } },
    outputSchema: { ...outputSchema, type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint: false, ...listing?.annotations },
    ...listing?.members,
  } as ListToolsResult['tools'][number];
}
