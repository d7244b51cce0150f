// An MCP server (stdio, raw JSON-RPC) that asks for whatever the call's arguments say: {"challenge": PaymentRequired}. A call with a
// payment is answered by {"paid": …}: "serve", "refuse", "fail" or "die".
import { createInterface } from 'node:readline';

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words, more = {}) => ({ content: [{ type: 'text', text: words }], ...more });
const ask = (challenge) => text(JSON.stringify(challenge), { isError: true, structuredContent: challenge });

const ANSWERS = {
  serve: () => text('served'),
  refuse: ({ challenge }) => ask({ ...challenge, error: 'not this payment' }),
  fail: () => text('the tool broke', { isError: true }),
  die: () => process.exit(3),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return write({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'asks-anything', version: '1' } } });
  if (method !== 'tools/call') return;
  const args = params.arguments;
  const paid = params._meta?.['x402/payment'] !== undefined;
  write({ id, result: paid ? ANSWERS[args.paid](args) : ask(args.challenge) });
});
