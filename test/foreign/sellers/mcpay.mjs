// mcpay: one tool for each chain, over HTTP, or over stdio with --stdio.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpPaidHandler, withX402 } from 'mcpay/handler';
import { serveFetch, world } from './serve.mjs';

const config = (network, recipient) => ({ facilitator: { url: world.facilitatorUrl }, recipient: { [network]: recipient }, version: 1 });
const evm = config('base-sepolia', world.payTo.evm);
const svm = config('solana-devnet', world.payTo.solana);
const sell = (server, name) => server.paidTool(name, 'A fact', '$0.01', {}, {}, async () => ({ content: [{ type: 'text', text: 'paid through mcpay' }] }));

if (process.argv.includes('--stdio')) {
  const server = new McpServer({ name: 'mcpay-seller', version: '1.0.0' });
  const chain = process.argv.includes('--svm') ? svm : evm;
  sell(withX402(server, chain), process.argv.includes('--svm') ? 'svm' : 'evm');
  await server.connect(new StdioServerTransport());
} else {
  const handlers = {
    '/evm/mcp': createMcpPaidHandler((server) => void sell(server, 'evm'), evm, {}, { basePath: '/evm' }),
    '/svm/mcp': createMcpPaidHandler((server) => void sell(server, 'svm'), svm, {}, { basePath: '/svm' }),
  };
  serveFetch((request) => handlers[new URL(request.url).pathname]?.(request) ?? new Response('', { status: 404 }));
}
