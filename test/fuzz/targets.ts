import { isDeepStrictEqual } from 'node:util';
import type { HttpFacts, Reading } from '../../src/core/challenges/answer.ts';
import { parseAuthenticate } from '../../src/core/challenges/authenticate.ts';
import { PAYMENT_ARGUMENTS } from '../../src/core/challenges/payment-keys.ts';
import { listedPrice } from '../../src/core/challenges/prices.ts';
import { detectChallenge, DIALECTS, mayAskForMoney } from '../../src/core/challenges/registry.ts';
import { canonicalJson } from '../../src/core/json/canonical.ts';
import { parseJson, stringifyJson, toPlain } from '../../src/core/json/json.ts';
import { offersText, consider } from '../../src/core/payments/considered.ts';
import { retryOfProof } from '../../src/core/payments/proof-text.ts';
import { readingOf } from '../../src/core/payments/reading.ts';
import { findReferences } from '../../src/core/policy/provenance.ts';
import { requireUsable } from '../../src/core/policy/check-policy.ts';
import { lookalikeWords, skeleton } from '../../src/core/registry/lookalike.ts';
import { REGISTERED } from '../../src/core/registry/assets.ts';
import { readTokenRequest, TokenRefusal } from '../../src/main/access/token-request.ts';
import { Config } from '../../src/main/adapters/home/config.ts';
import { retryText, toolCallParts, withId } from '../../src/main/bridge/tool-call.ts';
import { scanPayload } from '../../src/main/bridge/scan.ts';
import { EventTooLargeError, sseReader, type ServerSentEvent } from '../../src/main/bridge/sse.ts';
import { splice } from '../../src/main/bridge/splice.ts';
import { listingOf, readToolList, toolEdits } from '../../src/main/bridge/tool-list.ts';
import { ownEntries, withOwnEntries } from '../../src/main/clients/config-text.ts';
import { httpAnswerOf, httpAnswerOfText, textOfHttpAnswer } from '../../src/main/http-buyer/http-answer.ts';
import { argumentsOf, checkRequest, serverNameOf, toolNameOf } from '../../src/main/http-buyer/http-request.ts';
import { formatUnits, parseBaseUnits, parseUnits } from '../../src/shared/money/money.ts';
import { isBursarError } from '../../src/shared/errors/errors.ts';
import { Policy } from '../../src/shared/policy/policy.ts';
import { cleanText } from '../../src/shared/text/clean-text.ts';
import { discovery } from './discovery-target.ts';
import { logLines, pastes } from './paste-target.ts';
import type { Random } from './random.ts';
import { AMOUNTS, CONFIGS, HEADERS, LISTS, MESSAGES, POLICIES, STREAMS, TOKEN_REQUESTS, URLS } from './seeds.ts';

/** One parser, or a few that belong together. `run` throws what the parser throws, and an `Error` of its own where the parser is wrong. */
export interface Target {
  readonly name: string;
  readonly seeds: readonly string[];
  run(text: string, random: Random): void;
  /** Besides a BursarError. */
  readonly typed?: (error: unknown) => boolean;
}

const wrong = (why: string): Error => new Error(`wrong: ${why}`);
const HEADER_NAMES = ['payment-required', 'x-payment-required', 'www-authenticate', 'payment-response', 'x-payment-response', 'x-payment-amount', 'x-payment-recipient', 'x-payment-payto', 'x-payment-token', 'x-payment-network', 'payment-receipt', 'location'];

/** Runs `work` and swallows what it throws of ours: a refusal is what parsers of hostile texts are for. */
const allowingRefusal = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (isBursarError(error)) return undefined;
    throw error;
  }
};

function httpOf(text: string, random: Random): HttpFacts {
  const value = () => {
    if (random.chance(0.5)) return Buffer.from(text).toString(random.chance(0.8) ? 'base64' : 'base64url');
    return random.chance(0.5) ? text.slice(0, 4000) : random.pick(HEADERS);
  };
  const names = HEADER_NAMES.filter(() => random.chance(0.3));
  return { status: random.chance(0.8) ? 402 : random.pick([200, 412, 500, 502, 302, 0]), headers: Object.fromEntries(names.map((name) => [name, random.chance(0.1) ? [value(), value()] : [value()]])), body: random.chance(0.7) ? text : '' };
}

function dialects(reading: Reading): void {
  for (const dialect of DIALECTS) {
    const challenge = allowingRefusal(() => dialect.detect(reading));
    allowingRefusal(() => dialect.readAnswer(reading));
    if (!challenge) continue;
    if (challenge.offers.length === 0) throw wrong(`${dialect.id} found a challenge without offers`);
    for (const offer of challenge.offers) {
      // An amount that was let through is one that can be paid to the last digit.
      allowingRefusal(() => parseBaseUnits(offer.amount));
      if (!/^\d+$/.test(offer.amount)) throw wrong(`${dialect.id} let the amount ${offer.amount} through`);
      const edit = allowingRefusal(() => dialect.attach(challenge, offer, '{"signature":"0x11","authorization":{}}'));
      for (const raw of Object.values(edit?.meta ?? {})) JSON.parse(raw);
      for (const raw of Object.values(edit?.arguments ?? {})) JSON.parse(raw);
      for (const header of Object.values(edit?.headers ?? {})) if (/[\r\n\0]/.test(header)) throw wrong(`${dialect.id} writes a line break into a header`);
      lookalikeWords(offer, REGISTERED.list);
    }
    offersText(consider(challenge, () => 'behind'));
  }
  allowingRefusal(() => detectChallenge(reading));
}

function events(text: string, cuts: () => number): readonly ServerSentEvent[] {
  const found: ServerSentEvent[] = [];
  const read = sseReader(1_000_000, (event) => found.push(event));
  for (let at = 0; at < text.length; ) {
    const length = cuts();
    read(text.slice(at, at + length));
    at += length;
  }
  return found;
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export const TARGETS: readonly Target[] = [
  {
    name: 'json',
    seeds: MESSAGES,
    run(text) {
      const value = parseJson(text);
      if (!isJson(text)) throw wrong('what JSON.parse refuses was parsed');
      if (stringifyJson(parseJson(stringifyJson(value))) !== stringifyJson(value)) throw wrong('it is written otherwise than it was read');
      toPlain(value);
    },
  },
  {
    name: 'canonical JSON',
    seeds: MESSAGES,
    run(text) {
      const once = canonicalJson(text);
      if (canonicalJson(once) !== once) throw wrong('the canonical form is not one');
    },
  },
  {
    name: 'scan and splice',
    seeds: MESSAGES,
    // What these two mean is that the bridge called them for another message than it knows this to be.
    typed: (error) => error instanceof TypeError && /^(no message|not a tools\/call request)$/.test(error.message),
    run(text) {
      const { messages } = scanPayload(text);
      if (!isJson(text)) return;
      if (messages.length !== 1 || text.trimStart().startsWith('[')) return;
      const other = withId(text, '"other"');
      const [before, after] = [JSON.parse(text), JSON.parse(other)] as [Record<string, unknown>, Record<string, unknown>];
      const rest = (message: Record<string, unknown>) => Object.entries(message).filter(([key]) => key !== 'id');
      if (before !== null && typeof before === 'object' && !isDeepStrictEqual(rest(before), rest(after))) throw wrong('another id changed more than the id (I8)');
      toolCallParts(text);
      JSON.parse(retryText(text, { meta: { 'x402/payment': '{"a":1}' }, arguments: { _payment: '"x"' } }).text);
    },
  },
  {
    name: 'event streams',
    seeds: STREAMS,
    typed: (error) => error instanceof EventTooLargeError,
    run(text, random) {
      const whole = events(text, () => text.length);
      if (!isDeepStrictEqual(whole, events(text, () => 1 + random.below(7)))) throw wrong('chunks change what is read');
    },
  },
  {
    name: 'dialects over MCP',
    seeds: MESSAGES,
    run(text, random) {
      mayAskForMoney(text);
      dialects(readingOf({ text, ...(random.chance(0.2) && { http: httpOf(text, random) }) }, random.chance(0.3) ? { lastDialect: random.pick(DIALECTS).id } : {}));
    },
  },
  { name: 'dialects over HTTP', seeds: MESSAGES, run: (text, random) => dialects({ http: httpOf(text, random) }) },
  {
    name: 'lists of tools',
    seeds: LISTS,
    run(text) {
      const [message] = scanPayload(text).messages;
      const result = message?.fields.result;
      if (!result) return;
      const edits = readToolList(text, result).flatMap((tool) => {
        const listing = listingOf(text, tool);
        const price = listing && listedPrice(listing);
        return toolEdits(text, tool, { cost: price ? `(Cost: ${price.amount} ${price.currency})` : '', hidden: PAYMENT_ARGUMENTS });
      });
      const shown = splice(text, edits);
      if (!isJson(shown)) throw wrong('an edited list is no JSON (I8)');
      if (edits.length === 0 && shown !== text) throw wrong('a list changed without an edit (I8)');
    },
  },
  {
    name: 'WWW-Authenticate',
    seeds: HEADERS,
    run(text) {
      for (const { scheme } of parseAuthenticate([text])) if (scheme !== scheme.toLowerCase()) throw wrong('a scheme has a case');
    },
  },
  {
    name: 'money',
    seeds: AMOUNTS,
    run(text, random) {
      const decimals = random.below(37);
      const units = allowingRefusal(() => parseUnits(text, decimals));
      if (units !== undefined && parseUnits(formatUnits(units, decimals), decimals) !== units) throw wrong('an amount is written otherwise than it was read');
      parseBaseUnits(text);
    },
  },
  {
    name: 'policy',
    seeds: POLICIES,
    run(text) {
      const parsed = Policy.safeParse(toPlain(parseJson(text)));
      if (parsed.success) requireUsable(parsed.data);
    },
  },
  {
    name: 'configuration',
    seeds: CONFIGS,
    run(text) {
      for (const format of ['json', 'jsonc', 'toml'] as const) {
        const shape = { format, key: 'mcpServers' };
        const registered = allowingRefusal(() => withOwnEntries(text, { 'bursar-x': { command: '/n', args: [] } }, shape));
        if (registered === undefined) continue;
        if (format === 'json') JSON.parse(registered.replace('\ufeff', ''));
        if (!Object.hasOwn(ownEntries(registered, shape), 'bursar-x')) throw wrong('what was written is not found again');
        withOwnEntries(registered, {}, shape);
      }
      Config.safeParse(toPlain(parseJson(text)));
    },
  },
  {
    name: 'texts',
    seeds: [...MESSAGES, ...URLS],
    run(text) {
      findReferences(text);
      skeleton(text);
      cleanText(text);
    },
  },
  {
    name: 'HTTP purchases',
    seeds: [...URLS, ...MESSAGES],
    run(text, random) {
      const kept = httpAnswerOf({ status: 200, headers: { a: [text] }, body: Buffer.from(text, 'latin1') });
      if (!isDeepStrictEqual(httpAnswerOfText(textOfHttpAnswer(kept)), kept)) throw wrong('a kept answer is read otherwise than it was written');
      allowingRefusal(() => httpAnswerOfText(text));
      allowingRefusal(() => retryOfProof(text));
      const checked = checkRequest({ url: random.chance(0.7) ? text : 'https://a.example/', method: random.pick(['GET', 'POST', text.slice(0, 8)]), headers: { [random.pick(['a', 'x-a', text.slice(0, 20)])]: text.slice(0, 200) } });
      canonicalJson(argumentsOf(checked));
      if (!/[.:]/.test(serverNameOf(checked.url))) throw wrong('a host is called like a server');
      toolNameOf(checked);
    },
  },
  {
    name: 'token requests',
    seeds: TOKEN_REQUESTS,
    typed: (error) => error instanceof TokenRefusal,
    run(text, random) {
      const encoded = Buffer.from(random.chance(0.5) ? text : `a:${text}`).toString('base64');
      const authorization = random.pick([undefined, `Basic ${encoded}`, text.slice(0, 200)]);
      const { clientId, clientSecret, scope } = readTokenRequest({ 'content-type': 'application/x-www-form-urlencoded', ...(authorization !== undefined && { authorization }) }, '', text);
      if (clientId === '') throw wrong('a client without an id is read');
      if (typeof clientSecret !== 'string' || scope.includes('')) throw wrong('a secret or a scope is none');
    },
  },
  discovery,
  pastes,
  logLines,
];
