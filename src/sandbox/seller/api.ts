import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { BursarError } from '../../shared/errors/errors.ts';
import { sendJson, serveHttp, type HttpService } from '../http/http-service.ts';
import { CATALOGUE } from './catalogue.ts';
import { discoveryPage } from './discovery.ts';
import { mppHttp } from './dialects/mpp.ts';
import { httpSplit, httpV1, httpV2, httpV2Body, httpXNames } from './dialects/x402-http.ts';
import { headersOf, networksOf } from './http.ts';
import type { Reply } from './payment/call.ts';
import type { SellingDialect } from './payment/dialect.ts';
import { decimalPrice, type Price } from './payment/terms.ts';
import { withPayment } from './payment/with-payment.ts';
import { REALM, type RailName } from './rails.ts';
import { productOf, railsOn, type Seller } from './seller.ts';
import type { Tool } from './tools/tool.ts';

interface Counter {
  readonly dialect: SellingDialect;
  readonly rails: readonly RailName[];
}

const V2: readonly RailName[] = ['exact-evm-v2', 'exact-svm-v2'];

/** First part of the path, and what is sold there. */
const COUNTERS: Readonly<Record<string, Counter>> = {
  'x402-v2': { dialect: httpV2, rails: V2 },
  'x402-v2-body': { dialect: httpV2Body, rails: V2 },
  'x402-v1': { dialect: httpV1, rails: ['exact-evm-v1', 'exact-svm-v1'] },
  'x402-x-names': { dialect: httpXNames, rails: V2 },
  'x402-split': { dialect: httpSplit, rails: ['settled-evm-v2', 'settled-svm-v2'] },
  mpp: { dialect: mppHttp(REALM), rails: ['evm-charge'] },
};

const PRICE: Price = { units: 10_000n, decimals: 6, currency: 'USDC' };

/**
 * The paid HTTP API: `GET /DIALECT/TOOL?…`, every tool in every HTTP dialect for 0.01 USDC, arguments as query parameters;
 * `networks=` as for the MCP server. `GET /` lists what there is, and `GET /discovery/resources` offers it as a Bazaar does.
 */
export function serveSellerApi(seller: Seller): Promise<HttpService> {
  return serveHttp(async (request, response) => {
    const host = validateHostHeader(request.headers.host, localhostAllowedHostnames());
    if (!host.ok) throw new BursarError('FORBIDDEN', host.message);
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    if (url.pathname === '/') return sendJson(response, 200, { paths: Object.keys(COUNTERS).flatMap((path) => CATALOGUE.map(({ tool }) => `/${path}/${tool.name}`)), price: `${decimalPrice(PRICE)} ${PRICE.currency}` });
    if (url.pathname === '/discovery/resources') {
      const rails = V2.map((rail) => seller.rails[rail]);
      return sendJson(response, 200, await discoveryPage({ url, rails, price: PRICE, productAt: (tool) => productOf(tool, `${url.origin}/x402-v2/${tool.name}`) }));
    }
    const [, path = '', name = ''] = url.pathname.split('/');
    const counter = COUNTERS[path];
    const tool = CATALOGUE.find((item) => item.tool.name === name)?.tool;
    if (!counter || !tool || request.method !== 'GET') throw new BursarError('NOT_FOUND', `There is no ${request.method} ${url.pathname}.`);
    const args = argumentsOf(tool, url.searchParams);
    const input = tool.inputSchema.safeParse(args);
    if (!input.success) throw new BursarError('INPUT_INVALID', z.prettifyError(input.error));
    const rails = railsOn(counter.rails, networksOf(url)).map((rail) => seller.rails[rail]);
    const sale = { product: productOf(tool, url.href), dialect: counter.dialect, rails, price: () => PRICE, enabled: true };
    const reply = await withPayment(seller.desk, sale, (given) => served(tool, given))({ args, meta: {}, headers: headersOf(request) });
    if (reply.kind !== 'http') throw new BursarError('INTERNAL', 'The paid API answered in another protocol.');
    sendJson(response, reply.status, reply.body, reply.headers);
  });
}

function served(tool: Tool, args: Readonly<Record<string, unknown>>): Reply {
  try {
    return { kind: 'http', status: 200, headers: {}, body: tool.run(args) };
  } catch (error) {
    return { kind: 'http', status: 422, headers: {}, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

/** Query parameters as the tool's schema has them: numbers where it wants numbers. */
function argumentsOf({ inputSchema }: Tool, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const entries = [...query].filter(([name]) => name in inputSchema.shape);
  return Object.fromEntries(entries.map(([name, text]) => [name, inputSchema.shape[name] instanceof z.ZodNumber ? Number(text) : text]));
}
