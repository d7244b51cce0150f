// The least that a proxy can do, as the limit that Bursar is held against: no SDK, no sessions, no checks, no payments.
//   pump.mjs stdio-http URL        one stdio client before an HTTP server
//   pump.mjs http-stdio FILE ARGS  HTTP clients before a stdio server; prints its port
//   pump.mjs http-http URL         HTTP clients before an HTTP server; prints its port
//   pump.mjs relay PATH            standard input and output to a local socket and back
//   pump.mjs socket-http PATH URL  clients of a local socket before an HTTP server; prints its path
import { spawn } from 'node:child_process';
import { Agent, createServer, request } from 'node:http';
import { connect, createServer as createSocketServer } from 'node:net';

const [mode, ...args] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const listen = (onRequest) => {
  const server = createServer(onRequest);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
};
/** Cuts text into lines, and hands over those that are complete. */
const lines = (onLine) => {
  let held = '';
  return (chunk) => {
    held += chunk;
    for (let end = held.indexOf('\n'); end >= 0; end = held.indexOf('\n')) {
      onLine(held.slice(0, end));
      held = held.slice(end + 1);
    }
  };
};
const text = (stream, onText) => {
  let all = '';
  stream.setEncoding('utf8').on('data', (chunk) => (all += chunk)).on('end', () => onText(all));
};

/** Posts every line of `input`, and writes what the server answers as lines. */
function linesToHttp(input, output, url) {
  let session = {};
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  input.setEncoding('utf8').on('data', lines((line) => {
    const post = request(url, { method: 'POST', agent, headers: { ...headers, ...session, 'content-length': Buffer.byteLength(line) } }, (response) => {
      const id = response.headers['mcp-session-id'];
      if (id) session = { 'mcp-session-id': id };
      text(response, (body) => {
        const answer = body.startsWith('event:') ? body.slice(body.indexOf('data: ') + 6, -2) : body;
        if (answer) output.write(`${answer}\n`);
      });
    });
    post.end(line);
  }));
}

if (mode === 'stdio-http') linesToHttp(process.stdin, process.stdout, args[0]);
if (mode === 'socket-http') createSocketServer((socket) => linesToHttp(socket, socket, args[1])).listen(args[0], () => process.stdout.write(`${args[0]}\n`));
if (mode === 'relay') {
  const socket = connect(args[0]);
  process.stdin.pipe(socket).pipe(process.stdout);
}
if (mode === 'http-http')
  listen((from, response) => {
    const { host: _host, ...headers } = from.headers;
    from.pipe(request(args[0], { method: from.method, agent, headers }, (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers))));
  });
if (mode === 'http-stdio') {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  const idOf = (message) => /"id":(\d+)/.exec(message.slice(0, 200))?.[1];
  child.stdout.setEncoding('utf8').on('data', lines((line) => {
    waiting.get(idOf(line))?.writeHead(200, { 'content-type': 'application/json' }).end(line);
    waiting.delete(idOf(line));
  }));
  listen((from, response) => text(from, (body) => {
    const id = idOf(body);
    if (id === undefined) response.writeHead(202).end();
    else waiting.set(id, response);
    child.stdin.write(`${body}\n`);
  }));
}
