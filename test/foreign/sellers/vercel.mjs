// x402-mcp, Vercel's package: HTTP only, EVM only.
import { createPaidMcpHandler } from 'x402-mcp/server';
import { serveFetch, world } from './serve.mjs';

const handler = createPaidMcpHandler(
  (server) => void server.paidTool('evm', 'A fact', { price: 0.01 }, {}, {}, async () => ({ content: [{ type: 'text', text: 'paid through x402-mcp' }] })),
  {},
  { recipient: world.payTo.evm, network: 'base-sepolia', facilitator: { url: world.facilitatorUrl }, basePath: '' },
);
serveFetch((request) => (new URL(request.url).pathname === '/mcp' ? handler(request) : new Response('', { status: 404 })));
