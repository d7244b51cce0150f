import { McpServer, type CallToolResult } from '@modelcontextprotocol/server';
import { BursarError } from '../../shared/errors/errors.ts';
import { SOLANA_NETWORK } from '../networks.ts';
import { facilitatorClient } from './payment/facilitator-client.ts';
import { offerOn, type PayTo } from './payment/offers.ts';
import { withPayment, type ToolHandler } from './payment/with-payment.ts';
import { cityTime } from './tools/city-time.ts';
import { moonPhase } from './tools/moon-phase.ts';
import { skyReport } from './tools/sky-report.ts';
import { sunTimes } from './tools/sun-times.ts';
import { structuredResult, type Tool } from './tools/tool.ts';

export interface SellerOptions {
  readonly facilitatorUrl: string;
  readonly payTo: PayTo;
  /** How long a buyer's authorization may stay valid, in seconds. */
  readonly maxTimeoutSeconds?: number;
  /** How long the seller waits for the facilitator. */
  readonly facilitatorTimeoutMs?: number;
}

const DEFAULT_MAX_TIMEOUT_SECONDS = 120;
const DEFAULT_FACILITATOR_TIMEOUT_MS = 15_000;

/** Makes fresh instances of the demo MCP server, one for each connection or request. They share one facilitator client. */
export function createSeller(options: SellerOptions): () => McpServer {
  const { facilitatorUrl, payTo, maxTimeoutSeconds = DEFAULT_MAX_TIMEOUT_SECONDS } = options;
  const facilitator = facilitatorClient(facilitatorUrl, options.facilitatorTimeoutMs ?? DEFAULT_FACILITATOR_TIMEOUT_MS);
  let feePayer: string | undefined;
  const solanaFeePayer = async (): Promise<string> => {
    if (feePayer !== undefined) return feePayer;
    const { kinds } = await facilitator.supported();
    const kind = kinds.find(({ network, scheme, x402Version }) => network === SOLANA_NETWORK && scheme === 'exact' && x402Version === 2);
    const named = kind?.extra?.['feePayer'];
    if (typeof named !== 'string') throw new BursarError('SETTLEMENT_FAILED', 'The facilitator names no fee payer for Solana.');
    feePayer = named;
    return named;
  };

  const handlerOf = (tool: Tool): ToolHandler<Record<string, unknown>> => {
    const run = (input: Record<string, unknown>): CallToolResult => structuredResult(tool.run(input));
    const { price } = tool;
    if (!price) return run;
    const accepts = async () => {
      const terms = { payTo, maxTimeoutSeconds, solanaFeePayer: price.networks.includes(SOLANA_NETWORK) ? await solanaFeePayer() : '' };
      return price.networks.map((network) => offerOn(network, price.amount, terms));
    };
    const resource = { url: `mcp://tool/${tool.name}`, description: tool.description, mimeType: 'application/json' };
    return withPayment({ resource, accepts, facilitator }, run);
  };

  const tools = [cityTime, sunTimes, moonPhase, skyReport].map((tool) => ({ tool, handler: handlerOf(tool) }));
  return () => {
    const server = new McpServer(
      { name: 'bursar-demo-seller', title: 'Demo seller', version: '1.0.0' },
      { instructions: 'Facts about time, sun and moon. Tools that cost money answer with an x402 challenge until they are paid.' },
    );
    for (const { tool, handler } of tools) {
      const { name, title, description, inputSchema, outputSchema } = tool;
      const annotations = { readOnlyHint: true, openWorldHint: false };
      server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, handler);
    }
    return server;
  };
}
