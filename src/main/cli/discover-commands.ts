import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import type { RouteOutput } from '../../shared/contract/contract.ts';
import type { ApprovedEndpointView, ListedPriceView, ListingView, SourceView } from '../../shared/contract/discovery.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { moneyText, oneLine, table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface SearchOptions {
  readonly limit: number;
  readonly refresh?: boolean;
  readonly offline?: boolean;
  readonly json?: boolean;
}

interface ApproveOptions {
  readonly method?: string;
  readonly source?: string;
  readonly group: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `bursar discover …`. */
export function addDiscoverCommands(program: Command, { withConnection, print, command }: CommandTools): void {
  const discover = program.command('discover').description('paid HTTP APIs that Bazaars list, and which of them agents may use as tools');
  discover
    .command('search')
    .description('search what the Bazaars list; without words, the latest entries')
    .argument('[words...]')
    .option('--limit <count>', 'how many at most, up to 100', count, 25)
    .option('--refresh', 'read every Bazaar anew first')
    .option('--offline', 'ask nobody: only what is kept here')
    .option(...JSON_OPTION)
    .action((words: string[], { limit, refresh, offline, json }: SearchOptions) =>
      withConnection(async ({ request }) => {
        const query = words.join(' ');
        const first = await request('discovery.search', { query, limit, refresh: refresh ? 'all' : offline ? 'cache' : 'stale' });
        const found = refresh ? await onceRead(first, () => request('discovery.search', { query, limit, refresh: 'cache' })) : first;
        print(json, found, () => [...(found.listings.length === 0 ? ['Nothing was found.'] : found.listings.flatMap(listingLines)), ...(found.more ? ['There are more.'] : []), ...found.sources.flatMap(staleLine)]);
      }),
    );
  discover
    .command('approve')
    .description('make an endpoint a tool for the clients of a group, at the price that is listed now')
    .argument('<url>', 'its address, as the search shows it')
    .option('--method <method>', 'where the address is listed for several')
    .option('--source <url>', 'the Bazaar whose entry is meant, where several list it otherwise')
    .option('--group <name>', 'group of clients', 'default')
    .option('--yes', 'approve it; without it, it is only shown')
    .option(...JSON_OPTION)
    .action((url: string, { method, source, group, yes, json }: ApproveOptions) =>
      withConnection(async ({ request }) => {
        const { listings } = await request('discovery.listing', { url, ...(method !== undefined && { method }) });
        const listing = onlyOne(url, listings.filter((each) => source === undefined || each.source === source));
        if (!yes) return print(json, listing, () => [...listingLines(listing), ...listing.prices.map(payeeLine), `Nothing was approved. To make it a tool of group ${group}: add --yes.`]);
        const approved = await request('discovery.approve', { source: listing.source, url: listing.url, method: listing.method, digest: listing.digest, group });
        print(json, approved, () => [`Clients of group ${approved.group} have the tool ${approved.tool} now: ${approved.method} ${approved.url}, ${priceText(approved.prices)}.`, 'A dearer price, another payee or another token asks you.']);
      }),
    );
  discover
    .command('approved')
    .description('list the approved endpoints and the groups of clients')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const all = await request('discovery.approved', {});
        print(json, all, () => [
          ...(all.approved.length === 0 ? [`No endpoint is approved. Find one with: ${command('discover search WORDS')}`] : table(all.approved.map(approvedCells))),
          ...all.groups.map(({ name, clients }) => `Group ${name}: ${clients.length === 0 ? 'no clients of its own' : clients.join(', ')}`),
        ]);
      }),
    );
  discover
    .command('remove')
    .description('take an endpoint away; sessions that have it keep it until they end')
    .argument('<id>', 'its number, or the name of its tool', String)
    .option('--now', 'refuse its calls at once, and cancel what waits')
    .option('--group <name>', 'group of clients, where the tool is named', 'default')
    .option(...JSON_OPTION)
    .action((which: string, { now = false, group, json }: { now?: boolean; group: string; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const { approved } = await request('discovery.approved', {});
        const found = approved.find(({ id, tool, group: own }) => String(id) === which || (tool === which && own === group));
        if (!found) throw new BursarError('NOT_FOUND', `There is no approved endpoint ${which}.`, { hint: `List them with: ${command('discover approved')}` });
        const removed = await request('discovery.remove', { id: found.id, now });
        print(json, removed, () => [now ? `Removed ${removed.tool}: calls are refused from now on.` : `Removed ${removed.tool}: sessions that have it keep it until they end.`]);
      }),
    );
  discover
    .command('group')
    .description('put a client into a group; every other one is in "default"')
    .argument('<client>')
    .argument('<group>')
    .option(...JSON_OPTION)
    .action((client: string, group: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('discovery.setGroup', { client, group });
        print(json, { client, group }, () => [`${client} has the tools of group ${group} now.`]);
      }),
    );
  discover
    .command('sources')
    .description('list the Bazaars that are searched, and how old what they listed is')
    .option('--set <url...>', 'search these instead')
    .option('--reset', 'go back to the built-in ones')
    .option(...JSON_OPTION)
    .action(({ set, reset, json }: { set?: string[]; reset?: boolean; json?: boolean }) =>
      withConnection(async ({ request }) => {
        if (set && reset) throw new BursarError('INPUT_INVALID', 'Give either --set or --reset.');
        const listed = set || reset ? await request('discovery.setSources', { urls: set ?? [] }) : await request('discovery.sources', {});
        print(json, listed, () => (listed.sources.length === 0 ? ['No Bazaar is built in for this kind of money. Set some with --set.'] : table(listed.sources.map(sourceCells))));
      }),
    );
}

type Found = RouteOutput<'discovery.search'>;

/** A long list takes longer than one request may. */
async function onceRead(first: Found, again: () => Promise<Found>): Promise<Found> {
  let found = first;
  while (found.sources.some(({ reading }) => reading)) {
    await sleep(500);
    found = await again();
  }
  return found;
}

function onlyOne(url: string, listings: readonly ListingView[]): ListingView {
  const [first] = listings;
  if (!first) throw new BursarError('NOT_FOUND', `No Bazaar lists ${url}.`, { hint: 'Search for it first; the address has to be written as the search shows it.' });
  if (new Set(listings.map(({ method }) => method)).size > 1) throw new BursarError('INPUT_INVALID', `It is listed for several methods: ${listings.map(({ method }) => method).join(', ')}.`, { hint: 'Say which with --method.' });
  if (new Set(listings.map(({ digest }) => digest)).size > 1) throw new BursarError('INPUT_INVALID', `Several Bazaars list it, and not alike: ${listings.map(({ source }) => source).join(', ')}.`, { hint: 'Say which with --source.' });
  return first;
}

const priceText = ([first]: readonly ListedPriceView[]): string => (first === undefined ? 'no price' : first.money ? `${moneyText(first.money)} on ${first.networkName}` : `${first.units} units of ${first.asset} on ${first.networkName}`);

const payeeLine = (price: ListedPriceView): string => oneLine(`  ${priceText([price])} to ${price.payee}${price.payable ? '' : ' (cannot be paid here)'}`);

const listingLines = ({ url, method, name, description, prices, approvedFor }: ListingView): readonly string[] => [
  oneLine(`${method} ${url}  ${priceText(prices)}${approvedFor.length === 0 ? '' : `  (approved for ${approvedFor.join(', ')})`}`),
  ...(name === '' && description === '' ? [] : [`  ${oneLine([name, description].filter(Boolean).join(': ')).slice(0, 160)}`]),
];

const approvedCells = ({ id, group, tool, method, url, prices, removedAt, removedNow }: ApprovedEndpointView): readonly string[] => [
  String(id),
  group,
  tool,
  `${method} ${url}`,
  priceText(prices),
  removedAt === undefined ? 'in force' : removedNow ? 'removed' : 'removed; running sessions keep it',
];

const sourceCells = ({ url, fetchedAt, entries, problem, skipped }: SourceView): readonly string[] => [
  url,
  `${entries} entries`,
  fetchedAt === undefined ? 'never read to its end' : `read ${ageWords(Date.now() - fetchedAt)} ago`,
  [problem, skipped > 0 ? `${skipped} entries cannot be used` : ''].filter(Boolean).join('; '),
];

/** What the reader has to know of a list that is not from just now. */
function staleLine({ url, fetchedAt, problem, entries }: SourceView): readonly string[] {
  if (problem !== '') return [`${url} could not be read: ${oneLine(problem)}${entries > 0 && fetchedAt !== undefined ? ` What it listed ${ageWords(Date.now() - fetchedAt)} ago is shown.` : ''}`];
  return fetchedAt !== undefined && Date.now() - fetchedAt > 60 * 60_000 ? [`${url} was read ${ageWords(Date.now() - fetchedAt)} ago.`] : [];
}

function ageWords(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} minute${minutes === 1 ? '' : 's'}`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hour${hours === 1 ? '' : 's'}` : `${Math.round(hours / 24)} days`;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 100) throw new InvalidArgumentError('It has to be a whole number from 1 to 100.');
  return value;
}
