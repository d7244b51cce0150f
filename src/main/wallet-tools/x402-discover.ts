import { z } from 'zod';
import type { Challenge } from '../../core/challenges/dialect.ts';
import { findNetwork } from '../../core/registry/networks.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { CachedListing } from '../adapters/store/bazaar-cache.ts';
import type { ServerWords } from '../bridge/server-words.ts';
import type { Catalogue } from '../discovery/catalogue.ts';
import type { HttpBuyer } from '../http-buyer/http-buyer.ts';
import { agentError, payingError } from './agent-errors.ts';
import { defineTool, type WalletTool } from './define-tool.ts';
import { RequestInput, requestOf } from './x402-pay.ts';

export interface DiscoverToolsDeps {
  readonly catalogue: Pick<Catalogue, 'search' | 'sources'>;
  readonly buyer: Pick<HttpBuyer, 'ask'>;
  readonly assets: Pick<Assets, 'find'>;
  readonly words: Pick<ServerWords, 'note'>;
}

const Requirement = z.strictObject({
  scheme: z.string(),
  network: z.string().describe('CAIP-2 id.'),
  amount: z.string().describe('In the token\'s smallest units.'),
  asset: z.string().describe('Token contract or mint.'),
  payTo: z.string(),
  price: z.string().describe('In whole tokens, such as 0.01 USDC; empty where the token is not known.'),
});
type Requirement = z.infer<typeof Requirement>;

const Option = z.strictObject({ ...Requirement.shape, maxTimeoutSeconds: z.number(), version: z.number().int() });

const EstimateOutput = z.strictObject({
  status: z.literal('success'),
  paymentRequired: z.boolean(),
  httpStatus: z.number().int(),
  options: z.array(Option).describe('Every way to pay that the API offers; empty where it asks for nothing.'),
  message: z.string(),
});

const Service = z.strictObject({
  url: z.string(),
  method: z.string(),
  name: z.string(),
  description: z.string(),
  requirements: z.array(Requirement),
});

const DiscoverOutput = z.strictObject({
  status: z.literal('success'),
  results: z.array(
    z.strictObject({
      url: z.string().optional(),
      x402Enabled: z.boolean().optional(),
      requirements: z.array(Requirement).optional(),
      registry: z.string().optional(),
      services: z.array(Service).optional(),
    }),
  ),
  knownRegistries: z.array(z.string()),
  listedAt: z.string().describe('When the oldest of these lists was read, as an ISO 8601 time; empty where none ever was.'),
  message: z.string(),
});

/** Looking for paid APIs, and what one costs. Neither pays anything, and neither approves anything (I7). */
export function createDiscoverTools({ catalogue, buyer, assets, words }: DiscoverToolsDeps): readonly WalletTool[] {
  const priceOf = (network: string, asset: string, amount: string): string => {
    const found = findNetwork(network);
    const known = found && assets.find(found.id, asset);
    return known ? `${formatUnits(BigInt(amount), known.decimals, 2)} ${known.symbol}` : '';
  };
  const optionsOf = (challenge: Challenge | undefined): z.infer<typeof Option>[] =>
    (challenge?.offers ?? []).map(({ scheme, network, amount, asset, payee, maxTimeoutSeconds, x402Version }) => ({
      scheme: cleanText(scheme, 64),
      network,
      amount,
      asset: cleanText(asset, 128),
      payTo: cleanText(payee, 128),
      price: priceOf(network, asset, amount),
      maxTimeoutSeconds,
      version: x402Version,
    }));
  const serviceOf = ({ listing: { url, method, name, description, prices } }: CachedListing): z.infer<typeof Service> => ({
    url,
    method,
    name,
    description,
    requirements: prices.map(({ scheme, network, amount, asset, payee }): Requirement => ({ scheme, network, amount, asset, payTo: payee, price: priceOf(network, asset, amount) })),
  });

  return [
    defineTool({
      name: 'x402_discover_services',
      title: 'Find paid APIs',
      description:
        'Looks for HTTP APIs that can be paid with x402: by words in the lists that the owner chose (query), or by asking one address whether it wants money (url). Pays nothing. To use an API, call x402_pay; one that the owner ' +
        'approves in Bursar becomes a tool of its own.',
      scope: 'x402:execute',
      input: z.strictObject({
        query: z.string().max(200).optional().describe('What it should do, in a few words.'),
        url: z.string().max(4096).optional().describe('Ask this address instead.'),
        registry: z.string().max(2048).optional().describe('Only what this list holds; one of knownRegistries.'),
        limit: z.number().int().min(1).max(50).default(10).describe('How many services at most.'),
      }),
      output: DiscoverOutput,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
      failure: (error) => agentError('DISCOVER_FAILED', error),
      async run({ query, url, registry, limit }, { client, signal }) {
        const knownRegistries = catalogue.sources().map((source) => source.url);
        const answer = (structured: Omit<z.input<typeof DiscoverOutput>, 'status' | 'knownRegistries'>) => {
          const whole = { status: 'success' as const, ...structured, knownRegistries };
          return { kind: 'success' as const, text: JSON.stringify(whole), structured: whole };
        };
        if (url !== undefined) {
          const { answer: got, challenge } = await buyer.ask(requestOf({ url }), signal);
          const requirements = optionsOf(challenge).map(({ scheme, network, amount, asset, payTo, price }) => ({ scheme, network, amount, asset, payTo, price }));
          return answer({ results: [{ url, x402Enabled: challenge !== undefined, requirements }], listedAt: '', message: challenge ? 'It asks for money. Nothing was paid.' : `It answered HTTP ${got.status} and asked for nothing that can be read.` });
        }
        if (registry !== undefined && !knownRegistries.includes(registry)) {
          throw new BursarError('NOT_FOUND', 'That list is none of those that the owner chose.', { hint: knownRegistries.length === 0 ? 'The owner has set none.' : `Give one of: ${knownRegistries.join(', ')}.` });
        }
        if (query === undefined && registry === undefined) return answer({ results: [], listedAt: '', message: 'Give query to search the known registries, or url to ask one address.' });
        const { found, more } = await catalogue.search({ query: query ?? '', limit, offset: 0, refresh: 'stale', ...(registry !== undefined && { source: registry }) });
        for (const { source, listing } of found) words.note({ client, upstream: new URL(source).host, tool: 'x402_discover_services' }, JSON.stringify(listing));
        const registries = [...new Set(found.map(({ source }) => source))];
        const results = registries.map((source) => ({ registry: source, services: found.filter((cached) => cached.source === source).map(serviceOf) }));
        const oldest = found.map(({ seenAt }) => seenAt).toSorted((a, b) => a - b)[0];
        const count = found.length === 0 ? 'Nothing was found.' : more ? 'There are more; narrow the words.' : 'These are all.';
        return answer({ results, listedAt: oldest === undefined ? '' : new Date(oldest).toISOString(), message: `${count} All of it is what sellers say of themselves.` });
      },
    }),
    defineTool({
      name: 'x402_estimate_cost',
      title: 'What an API costs',
      description: 'Sends the request without a payment and tells what the API asks for it. Never pays. An API that asks for nothing does the work, so give the request that is meant.',
      scope: 'x402:execute',
      input: z.strictObject(RequestInput),
      output: EstimateOutput,
      hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
      failure(error) {
        const code = payingError(error);
        return agentError(code === 'NO_REQUIREMENTS' || code === 'INVALID_REQUIREMENT' ? code : 'ESTIMATE_FAILED', error);
      },
      async run(given, { signal }) {
        const { answer, challenge } = await buyer.ask(requestOf(given), signal);
        const structured: z.input<typeof EstimateOutput> = {
          status: 'success',
          paymentRequired: challenge !== undefined,
          httpStatus: answer.status,
          options: optionsOf(challenge),
          message: challenge ? 'Nothing was paid. The price may be another one when it is paid.' : 'It asks for nothing.',
        };
        return { kind: 'success', text: JSON.stringify(structured), structured };
      },
    }),
  ];
}
