// An MCP server with the one tool `echo`, as thin as can be: `echo-server.mjs stdio`, or `echo-server.mjs http`, which prints its port.
// Plain JavaScript, because how long a server takes to start is measured as well. Over HTTP it answers with an event stream, as SDK servers do.
import { createServer } from 'node:http';

const [mode, tools = '1'] = process.argv.slice(2);
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const listed = Array.from({ length: Number(tools) }, (_, number) => ({ name: number === 0 ? 'echo' : `echo_${number}`, description: 'Gives the text back.', inputSchema }));

/** The answer to one message, or undefined where it wants none. */
function answer({ id, method, params }) {
  if (id === undefined || method === undefined) return undefined;
  if (method === 'initialize') return reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } });
  if (method === 'tools/list') return reply(id, { tools: listed });
  if (method !== 'tools/call') return reply(id, {});
  if (params.arguments.text === 'crash') process.exit(3);
  if (params.arguments.text === 'wait') return undefined;
  return reply(id, { content: [{ type: 'text', text: params.arguments.text }] });
}

const reply = (id, result) => JSON.stringify({ jsonrpc: '2.0', id, result });

if (mode === 'stdio') {
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    held += chunk;
    if (!chunk.includes('\n')) return;
    const lines = held.split('\n');
    held = lines.pop() ?? '';
    const answers = lines.flatMap((line) => (line === '' ? [] : (answer(JSON.parse(line)) ?? [])));
    if (answers.length > 0) process.stdout.write(`${answers.join('\n')}\n`);
  });
} else {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      const message = JSON.parse(Buffer.concat(chunks).toString());
      const text = answer(message);
      // A call that is never answered keeps its stream open until somebody hangs up.
      if (text === undefined && message.id !== undefined && message.method !== undefined) return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (text === undefined) return response.writeHead(202).end();
      const session = message.method === 'initialize' ? { 'mcp-session-id': 'echo' } : {};
      return response.writeHead(200, { 'content-type': 'text/event-stream', ...session }).end(`event: message\ndata: ${text}\n\n`);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}
