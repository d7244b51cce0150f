import { createServer } from 'node:http';
import { Readable } from 'node:stream';

/** What the sandbox told the matrix: where money goes and who settles. */
export const world = JSON.parse(process.env['FOREIGN_WORLD'] ?? '{}');

/** Serves a fetch handler on a free port of 127.0.0.1 and prints its address as one line. */
export function serveFetch(handler) {
  const serve = async (request, response) => {
    const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : Readable.toWeb(request);
    const answer = await handler(new Request(`http://${request.headers.host}${request.url}`, { method: request.method, headers: request.headers, body, duplex: 'half' }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  };
  listen(
    createServer((request, response) => {
      serve(request, response).catch((error) => response.destroy(error));
    }),
  );
}

/** Listens on a free port of 127.0.0.1, prints the address as one line and ends with standard input. */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
  process.stdin.resume();
  process.stdin.once('close', () => process.exit(0));
}
