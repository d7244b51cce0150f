import { z } from 'zod';
import { CATALOGUE } from './catalogue.ts';
import type { PaymentRail } from './payment/rail.ts';
import type { Price, Product } from './payment/terms.ts';
import type { Tool } from './tools/tool.ts';

const MOST = 100;

export interface DiscoveryOptions {
  readonly url: URL;
  readonly rails: readonly PaymentRail[];
  readonly price: Price;
  /** What is sold under a tool's address. */
  readonly productAt: (tool: Tool) => Product;
}

/** `GET /discovery/resources`: the paid API as a Bazaar lists it (x402 v2, extension "bazaar"). */
export async function discoveryPage({ url, rails, price, productAt }: DiscoveryOptions): Promise<Readonly<Record<string, unknown>>> {
  const number = (name: string, otherwise: number) => Math.max(0, Math.trunc(Number(url.searchParams.get(name) ?? otherwise)) || 0);
  const [limit, offset] = [Math.min(MOST, number('limit', MOST)), number('offset', 0)];
  const lastUpdated = new Date().toISOString();
  const items = await Promise.all(
    CATALOGUE.slice(offset, offset + limit).map(async ({ tool }) => {
      const product = productAt(tool);
      const offers = await Promise.all(rails.map((rail) => rail.offer({ product, price, challengeId: '' })));
      const { $schema: _, ...queryParams } = z.toJSONSchema(tool.inputSchema, { io: 'input' });
      return {
        resource: product.url,
        type: 'http',
        x402Version: 2,
        accepts: offers.map(({ terms }) => terms),
        lastUpdated,
        description: tool.description,
        serviceName: 'Bursar demo seller',
        tags: ['demo', 'time'],
        extensions: {
          bazaar: {
            info: { input: { type: 'http', method: 'GET' } },
            schema: {
              $schema: 'https://json-schema.org/draft/2020-12/schema',
              type: 'object',
              properties: { input: { type: 'object', properties: { type: { const: 'http' }, method: { const: 'GET' }, queryParams }, required: ['type', 'method'] } },
              required: ['input'],
            },
          },
        },
      };
    }),
  );
  return { x402Version: 2, items, pagination: { limit, offset, total: CATALOGUE.length } };
}
