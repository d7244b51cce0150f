// mppx: `evm` charge over HTTP at /charge and over MCP at /mcp, or over stdio with --stdio; at /tempo a method that Bursar cannot pay. Settled on the chain by the seller's own account.
import { McpServer } from 'mcp-sdk-current/server/mcp.js';
import { StdioServerTransport } from 'mcp-sdk-current/server/stdio.js';
import { WebStandardStreamableHTTPServerTransport } from 'mcp-sdk-current/server/webStandardStreamableHttp.js';
import { McpError } from 'mcp-sdk-current/types.js';
import { Mppx, Transport, evm, tempo } from 'mppx/server';
import { createPublicClient, createWalletClient, http, parseAbi } from 'viem';
import { serveFetch, world } from './serve.mjs';

const ABI = parseAbi(['function transferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce,bytes signature)']);
const transport = http(world.evmRpcUrl);
const reader = createPublicClient({ transport, pollingInterval: 50 });
const wallet = createWalletClient({ transport });

async function settle({ payload, request }) {
  // The sandbox's node signs for its own two accounts. The first is the facilitator's; the second gives gifts, and none while cells are bought.
  const [, account] = await wallet.getAddresses();
  const { from, to, value, validAfter, validBefore, nonce, signature } = payload;
  const hash = await wallet.writeContract({
    chain: null,
    account,
    address: request.currency,
    abi: ABI,
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error('the transfer was reverted');
  return { reference: hash };
}

const method = () =>
  evm.charge({
    chainId: world.evmChainId,
    currency: world.evmUsdc,
    recipient: world.payTo.evm,
    decimals: 6,
    authorization: { name: 'USDC', version: '2' },
    settle,
  });
const secretKey = 'a secret of at least thirty-two bytes for the matrix';
const realm = 'mppx-seller';

function mcpServer() {
  // The method brings an HTTP transport of its own, which MCP has to be without.
  const overMcp = method();
  delete overMcp.transport;
  const payments = Mppx.create({ methods: [overMcp], secretKey, realm, transport: Transport.mcpSdk() });
  const server = new McpServer({ name: realm, version: '1.0.0' });
  server.registerTool('evm', { description: 'A fact' }, async (extra) => {
    const result = await payments.charge({ amount: '0.01' })(extra);
    if (result.status === 402) {
      // mppx throws the error class of the SDK that it finds, which is an older one here.
      const { code, message, data } = result.challenge;
      throw new McpError(code, message.replace(`MCP error ${code}: `, ''), data);
    }
    return result.withReceipt({ content: [{ type: 'text', text: 'paid through mppx' }] });
  });
  return server;
}

if (process.argv.includes('--stdio')) {
  await mcpServer().connect(new StdioServerTransport());
} else {
  const payments = Mppx.create({ methods: [method()], secretKey, realm });
  const onTempo = Mppx.create({ methods: [tempo({ currency: '0x20c0000000000000000000000000000000000000', recipient: world.payTo.evm })], secretKey, realm });
  serveFetch(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/charge' || pathname === '/tempo') {
      const result = await (pathname === '/charge' ? payments : onTempo).charge({ amount: '0.01' })(request);
      return result.status === 402 ? result.challenge : result.withReceipt(Response.json({ fact: 'paid through mppx' }));
    }
    if (pathname !== '/mcp') return new Response('', { status: 404 });
    const session = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await mcpServer().connect(session);
    return session.handleRequest(request);
  });
}
