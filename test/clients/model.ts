import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** A model on this machine, for clients that call tools only when one tells them to: it asks for one tool once, and is content with the answer. */
export interface Model {
  readonly url: string;
  /** What the tool answered, as the client told the model; empty while it did not. */
  answer(): string;
  /** The names of the tools that the client offered last. */
  offered(): readonly string[];
  close(): Promise<void>;
}

const Named = z.looseObject({ name: z.string() });
const AnthropicRequest = z.looseObject({ tools: z.array(Named).optional(), messages: z.array(z.looseObject({ content: z.unknown().optional() })) });
const ResponsesTool = z.looseObject({ name: z.string().optional(), type: z.string(), tools: z.array(Named).optional() });
const ResponsesRequest = z.looseObject({ tools: z.array(ResponsesTool).optional(), input: z.array(z.looseObject({ type: z.string().optional(), output: z.unknown().optional() })) });
const GeminiRequest = z.looseObject({ tools: z.array(z.looseObject({ functionDeclarations: z.array(Named).optional() })).optional(), contents: z.array(z.looseObject({ parts: z.array(z.looseObject({ functionResponse: z.unknown().optional() })).optional() })) });

const events = (response: ServerResponse, list: readonly Readonly<Record<string, unknown>>[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(list.map((event) => `${typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join(''));
};

/** Plays the model for the clients' three wire protocols, and asks for the first tool whose name ends so. */
export async function startModel(toolEnding: string, args: Readonly<Record<string, unknown>>): Promise<Model> {
  let answer = '';
  let offered: readonly string[] = [];
  const wanted = (names: readonly string[]): string | undefined => {
    if (names.length > 0) offered = names;
    return answer === '' ? names.find((name) => name.endsWith(toolEnding)) : undefined;
  };

  function anthropic(body: unknown, response: ServerResponse): void {
    const { tools = [], messages } = AnthropicRequest.parse(body);
    const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter((part) => z.looseObject({ type: z.literal('tool_result') }).safeParse(part).success);
    if (results.length > 0) answer = JSON.stringify(results);
    const tool = wanted(tools.map(({ name }) => name));
    const block = tool === undefined ? { type: 'text', text: '' } : { type: 'tool_use', id: 'toolu_1', name: tool, input: {} };
    const delta = tool === undefined ? { type: 'text_delta', text: 'Done.' } : { type: 'input_json_delta', partial_json: JSON.stringify(args) };
    events(response, [
      { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: tool === undefined ? 'end_turn' : 'tool_use', stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]);
  }

  function responses(body: unknown, response: ServerResponse): void {
    const { tools = [], input } = ResponsesRequest.parse(body);
    const output = input.find(({ type }) => type === 'function_call_output');
    if (output) answer = JSON.stringify(output.output);
    const found = tools.flatMap(({ name = '', tools: inner }): readonly { readonly name: string; readonly namespace?: string }[] => inner?.map((tool) => ({ namespace: name, name: tool.name })) ?? [{ name }]);
    const name = wanted(found.map((tool) => tool.name));
    const namespace = found.find((tool) => tool.name === name)?.namespace;
    const item =
      name === undefined
        ? { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'Done.' }] }
        : { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, ...(namespace !== undefined && { namespace }), arguments: JSON.stringify(args) };
    events(response, [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'resp_1', usage: { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 } } },
    ]);
  }

  function gemini(body: unknown, response: ServerResponse, streamed: boolean): void {
    const { tools = [], contents } = GeminiRequest.parse(body);
    const answers = contents.flatMap(({ parts = [] }) => parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse])));
    if (answers.length > 0) answer = JSON.stringify(answers);
    const tool = wanted(tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)));
    const part = tool === undefined ? { text: 'Done.' } : { functionCall: { name: tool, args } };
    const chunk = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
    if (streamed) events(response, [chunk]);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(chunk));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const raw = await text(request);
    const body: unknown = raw === '' ? {} : JSON.parse(raw);
    if (pathname.endsWith('/messages')) anthropic(body, response);
    else if (pathname.endsWith('/responses')) responses(body, response);
    else if (/:(?:stream)?generateContent$/i.test(pathname)) gemini(body, response, pathname.includes(':stream'));
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: String(error) } })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => answer,
    offered: () => offered,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
