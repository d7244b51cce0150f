import { endpointRequest } from '../../src/core/discovery/endpoint-request.ts';
import { listingKey } from '../../src/core/discovery/listing.ts';
import { readBazaarPage } from '../../src/core/discovery/read-page.ts';
import { toolName } from '../../src/core/discovery/tool-name.ts';
import { isBursarError } from '../../src/shared/errors/errors.ts';
import { cleanText } from '../../src/shared/text/clean-text.ts';
import { entry, manyEntries } from '../support/bazaar-server.ts';
import type { Random } from './random.ts';
import type { Target } from './targets.ts';

const wrong = (why: string): Error => new Error(`wrong: ${why}`);
const SCHEMA = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: { tree: { properties: { child: { $ref: '#/$defs/tree' } } } }, properties: { input: { properties: { queryParams: { type: 'object', properties: { city: { type: 'string', description: 'A city' }, 'x[y]': { $ref: '#/$defs/tree' } }, required: ['city'] }, body: { type: 'object', properties: { city: {} }, oneOf: [{}] }, headers: { type: 'object', properties: { 'X-Key': {}, 'X-PAYMENT': {} } } } } } };

const PAGES: readonly string[] = [
  JSON.stringify({ x402Version: 2, items: manyEntries(4), pagination: { limit: 4, offset: 0, total: 4 } }),
  JSON.stringify({ resources: [entry('https://a.example/u/7', { extensions: { bazaar: { routeTemplate: '/u/:id', info: { input: { type: 'http', method: 'POST', bodyType: 'multipart/form-data', body: {} } }, schema: SCHEMA } } })], pagination: { cursor: 'x' } }),
  JSON.stringify({ code: '0', data: { items: [entry('https://a.example/u/{id}/x?k=1', { metadata: { input: { type: 'http', method: 'GET', queryParams: { a: 'string' } } } })] } }),
];

/** What is handed on was read from strangers: nothing of it may hide, collide or lead elsewhere. */
export const discovery: Target = {
  name: 'Bazaars',
  seeds: PAGES,
  run(text: string, random: Random) {
    const { listings } = readBazaarPage(text);
    const names = new Set<string>();
    for (const listing of listings) {
      const { url, method, input } = listing;
      if (!/^https?:$/.test(new URL(url).protocol) || listingKey(listing) !== `${method} ${url}`) throw wrong('an address is none');
      const shown = [url, listing.name, listing.description, ...listing.tags, ...listing.prices.flatMap((price) => Object.values(price))];
      if (shown.some((one) => cleanText(one, 4_000) !== one)) throw wrong('a text hides characters');
      if (input.schemaText !== '' && (JSON.parse(input.schemaText) as { type?: unknown }).type !== 'object') throw wrong('a schema is of no object');
      if (new Set(input.parameters.map(({ argument }) => argument)).size !== input.parameters.length) throw wrong('two arguments have one name');
      const name = toolName(url, (taken) => names.has(taken));
      if (!/^[a-z][a-z0-9_]{0,63}$/.test(name) || name.includes('__')) throw wrong(`a tool is called ${name}`);
      names.add(name);
      try {
        const args = Object.fromEntries(input.parameters.map(({ argument }) => [argument, random.chance(0.5) ? text.slice(0, 40) : random.below(9)]));
        const request = endpointRequest(listing, JSON.stringify(args));
        if (new URL(request.url).host !== new URL(url).host) throw wrong('an argument leads to another host');
      } catch (error) {
        if (!isBursarError(error)) throw error;
      }
    }
  },
};
