import { childOf, skipValue, stringAt, textAt, walkObject, type Span } from './json-text.ts';
import { modernHeaders, type ModernFacts } from './modern-headers.ts';
import { freshId } from './request-id.ts';
import { scanPayload, type PayloadScan } from './scan.ts';

const HEADER_MISMATCH = '-32020';
/** No list has more pages: a server that goes on turns in circles. */
const MOST_PAGES = 1_000;
const OF_PROTOCOL = 'io.modelcontextprotocol/';

/** Does a refused call lack headers that its server wants (MCP 2026-07-28, Server Validation of Headers)? */
export function lacksHeaders(status: number, body: string): boolean {
  if (status !== 400) return false;
  try {
    const code = scanPayload(body).messages[0]?.fields['error.code'];
    return code !== undefined && textAt(body, code) === HEADER_MISMATCH;
  } catch {
    return false;
  }
}

/** A request of Bursar's own, on behalf of a client. */
export interface ListRequest {
  readonly text: string;
  readonly idText: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads a server's whole list of tools, because what a tool wants in headers stands there, and a stdio client need not have asked for it. The requests say of the
 * client what its call said; of nothing else in `_meta` they know, least of all of a proof.
 *
 * @param ask Gives the answer; undefined where none came.
 * @param learn Takes each page.
 */
export async function readTools(callText: string, scan: PayloadScan, version: ModernFacts['version'], ask: (request: ListRequest) => Promise<string | undefined>, learn: (answer: string) => void): Promise<void> {
  const meta = metaOfProtocol(callText, scan.messages[0]?.fields['params._meta']);
  const headers = modernHeaders({ version, method: 'tools/list', name: undefined });
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const idText = JSON.stringify(freshId());
    const text = `{"jsonrpc":"2.0","id":${idText},"method":"tools/list","params":{${cursor === undefined ? '' : `"cursor":${cursor},`}"_meta":${meta}}}`;
    const answer = await ask({ text, idText, headers });
    if (answer === undefined) return;
    learn(answer);
    const next = childOf(answer, scanPayload(answer).messages[0]?.fields.result, 'nextCursor');
    if (next === undefined || stringAt(answer, next) === undefined || textAt(answer, next) === cursor) return;
    cursor = textAt(answer, next);
  }
}

function metaOfProtocol(text: string, meta: Span | undefined): string {
  const members: string[] = [];
  if (meta !== undefined) {
    walkObject(text, meta.start, (key, _keyStart, start) => {
      const end = skipValue(text, start);
      if (key.startsWith(OF_PROTOCOL)) members.push(`${JSON.stringify(key)}:${text.slice(start, end)}`);
      return end;
    });
  }
  return `{${members.join(',')}}`;
}
