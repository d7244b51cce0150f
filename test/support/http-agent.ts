/** An MCP client in a few lines, so that a test sees every byte of an answer. */
export interface HttpAgent {
  /** The response to `initialize`. */
  readonly greeting: ToolAnswer;
  /** The JSON-RPC response to one `tools/call`. Rejects when the connection breaks. */
  call(tool: string, args: object, meta?: object): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly type: string; readonly text: string }[]; readonly _meta?: Readonly<Record<string, unknown>> };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Opens a session at `/mcp/<upstream>`; `signal` breaks its connections. */
export async function httpAgent({ mcp, token }: { mcp: string; token: string }, upstream = 'demo', signal?: AbortSignal): Promise<HttpAgent> {
  let session: string | undefined;
  let id = 0;
  const post = async (message: { readonly id?: number; readonly [member: string]: unknown }): Promise<unknown> => {
    const response = await fetch(`${mcp}/${upstream}`, {
      method: 'POST',
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return text === '' ? undefined : JSON.parse(text);
    const events = text.split('\n').filter((line) => line.startsWith('data:')).map((line) => JSON.parse(line.slice(5)) as { id?: number });
    return events.find((event) => event.id === message.id);
  };
  const greeting = (await post({ id, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test-agent', version: '1' } } })) as ToolAnswer;
  await post({ method: 'notifications/initialized' });
  return {
    greeting,
    call: (name, args, meta) => {
      id++;
      return post({ id, method: 'tools/call', params: { name, arguments: args, ...(meta && { _meta: meta }) } }) as Promise<ToolAnswer>;
    },
  };
}
