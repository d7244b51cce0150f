// x402-mcp, Vercel's package: HTTP only, EVM only. A second server sells on Base, where real money is.
import { createPaidMcpHandler } from 'x402-mcp/server';
import { serveFetch, world } from './serve.mjs';

const sell = (name, network, basePath) =>
  createPaidMcpHandler(
    (server) => void server.paidTool(name, 'A fact', { price: 0.01 }, {}, {}, async () => ({ content: [{ type: 'text', text: 'paid through x402-mcp' }] })),
    {},
    { recipient: world.payTo.evm, network, facilitator: { url: world.facilitatorUrl }, basePath },
  );
const handlers = { '/mcp': sell('evm', 'base-sepolia', ''), '/base/mcp': sell('evm', 'base', '/base') };
serveFetch((request) => handlers[new URL(request.url).pathname]?.(request) ?? new Response('', { status: 404 }));
