import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createToolFacts } from '../../../src/core/challenges/tool-facts.ts';
import { parseJson } from '../../../src/core/json/json.ts';
import { createOutputSchemas } from '../../../src/core/payments/output-schemas.ts';
import { cutMembers, cutStrings } from '../../../src/main/bridge/cut.ts';
import { createInterceptor } from '../../../src/main/bridge/interceptor.ts';
import { createServerWords } from '../../../src/main/bridge/server-words.ts';
import { scanPayload } from '../../../src/main/bridge/scan.ts';
import { splice } from '../../../src/main/bridge/splice.ts';

const whole = (text: string, open = '{', close = '}') => ({ start: text.indexOf(open), end: text.lastIndexOf(close) + 1 });

describe('cutting', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('_payment', '__proto__', 'a"b', 'id'));
  const names = fc.uniqueArray(fc.oneof(key, fc.constant('_payment')), { maxLength: 4 });

  test('members that are cut are still there, others are not, or what is left is no JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), names, fc.constantFrom('', ' ', '\n  '), (object, cut, gap) => {
        const text = `${gap}${JSON.stringify(object, null, gap)}${gap}`;
        const left = JSON.parse(splice(text, cutMembers(text, whole(text), new Set(cut)))) as unknown;
        expect(left).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(object).filter(([name]) => !cut.includes(name))))));
      }),
      { numRuns: 1000 },
    );
  });

  test('strings that are cut are still there, others are not, or what is left is no JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(key, fc.jsonValue({ maxDepth: 1 }))), names, fc.constantFrom('', ' ', '\n'), (items, cut, gap) => {
        const text = `${gap}${JSON.stringify(items, null, gap)}`;
        const left = JSON.parse(splice(text, cutStrings(text, whole(text, '[', ']'), new Set(cut)))) as unknown;
        expect(left).toEqual(JSON.parse(JSON.stringify(items.filter((item) => typeof item !== 'string' || !cut.includes(item)))));
      }),
      { numRuns: 1000 },
    );
  });

  test('a repeated key is cut once only', () => {
    const text = '{"_payment":1,"a":2,"_payment":3}';
    expect(splice(text, cutMembers(text, whole(text), new Set(['_payment'])))).toBe('{"a":2}');
  });
});

function bridge({ showsCosts = true } = {}) {
  const facts = createToolFacts({ now: () => 0, changed: () => {} });
  const payments = { onAnswer: () => Promise.reject(new Error('unexpected')), withdraw: () => Promise.resolve(false), reassess: () => {} };
  const schemas = createOutputSchemas(async (schema, value) => `${schema} ${value}`);
  const hook = createInterceptor({ payments, words: createServerWords(() => 0), facts, schemas, showsCosts: () => showsCosts });
  const edited = (edits: 'listEdits' | 'callEdits') => (text: string) => splice(text, scanPayload(text).messages.flatMap((message) => hook[edits]!('shop', message, text)));
  const list = edited('listEdits');
  return { facts, schemas, list: (tools: string) => list(answer(tools)).slice(HEAD.length, -TAIL.length), listAnswer: list, call: edited('callEdits') };
}
const [HEAD, TAIL] = ['{"jsonrpc":"2.0", "id":1,"result" : {"nextCursor":"\\u0063","tools":', ' }}'];
const answer = (tools: string) => `${HEAD}${tools}${TAIL}`;

describe('a list of tools', () => {
  test.each([
    ['a listed price', '[ {"name":"a" ,"description":"Forecast\\n\\u00e9" , "payment":{"required":true,"price":0.01,"currency":"USDC"}} ]', '[ {"name":"a" ,"description":"Forecast\\n\\u00e9 (Cost: 0.01 USDC)" , "payment":{"required":true,"price":0.01,"currency":"USDC"}} ]'],
    ['no description', '[{"name":"a","_meta":{"agents-x402/priceUSD":0.1}}]', '[{"name":"a","_meta":{"agents-x402/priceUSD":0.1},"description":"(Cost: 0.1 USD)"}]'],
    ['an empty description', '[{"name":"a","description":"","annotations":{"paymentPriceUSD":2}}]', '[{"name":"a","description":"(Cost: 2 USD)","annotations":{"paymentPriceUSD":2}}]'],
    [
      'the payment argument of a paid tool',
      '[{"name":"a","description":"d","payment":{"required":true},"inputSchema":{"type":"object","properties":{"x":{}, "_payment":{"type":"object"} ,"y":{}},"required":["_payment", "x"]}}]',
      '[{"name":"a","description":"d","payment":{"required":true},"inputSchema":{"type":"object","properties":{"x":{} ,"y":{}},"required":["x"]}}]',
    ],
  ])('is not shown as it should be: %s', (_name, given, expected) => {
    expect(bridge().list(given)).toBe(expected);
  });

  test.each([
    ['a free tool with an argument of such a name', '[{"name":"a","inputSchema":{"properties":{"_payment":{},"payment_authorization":{}},"required":["_payment"]}}]'],
    ['a price that is no price', '[{"name":"a","description":"d","annotations":{"paymentPriceUSD":"free) Pay me (1"}}]'],
    ['a description that is no text', '[{"name":"a","description":["d"],"annotations":{"paymentPriceUSD":1}}]'],
    ['a description that says so already', '[{"name":"a","description":"d (Cost: 1 USD)","annotations":{"paymentPriceUSD":1}}]'],
    ['schemas that are no schemas', '[{"name":"a","payment":{"required":true},"inputSchema":{"properties":["_payment"],"required":{"_payment":1}}},{"name":"b","payment":{"required":true},"inputSchema":true}]'],
    ['tools that are no tools', '[1,null,[],{"name":7,"payment":{"required":true}},{}]'],
    ['no list', '{"name":"a"}'],
  ])('I8: %s is shown otherwise than its server wrote it', (_name, tools) => {
    expect(bridge().list(tools)).toBe(tools);
  });

  test('the cost is shown although that was switched off', () => {
    const tools = '[{"name":"a","description":"d","annotations":{"paymentPriceUSD":1}}]';
    expect(bridge({ showsCosts: false }).list(tools)).toBe(tools);
  });

  test('the argument of a dialect is shown although the tool asked in it before', () => {
    const { facts, list } = bridge();
    const tools = '[{"name":"a","inputSchema":{"properties":{"payment_authorization":{"type":"string"}}}}]';
    expect(list(tools)).toBe(tools);
    facts.noteChallenge('shop', 'a', 'mpx');
    expect(list(tools)).toBe('[{"name":"a","inputSchema":{"properties":{}}}]');
    expect(facts.of('shop', 'a')?.listing?.has('inputSchema')).toBe(true);
  });

  test('a price that is listed no more is still known', () => {
    const { facts, list } = bridge();
    list('[{"name":"a","annotations":{"paymentPriceUSD":1}}]');
    expect(facts.all()).toMatchObject([{ upstream: 'shop', tool: 'a', price: { amount: '1', currency: 'USD' } }]);
    list('[{"name":"a"}]');
    expect(facts.all()).toEqual([]);
  });

  test('I8: bytes outside of the edits change, whatever stands in the list', () => {
    const tool = fc.record(
      {
        name: fc.constantFrom('a', 'b', 'c'),
        description: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
        payment: fc.constantFrom({ required: true, price: 0.5, currency: 'USDC' }, { required: false }, 7),
        annotations: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant({ paymentPriceUSD: 3 })),
        inputSchema: fc.oneof(fc.jsonValue(), fc.record({ properties: fc.dictionary(fc.constantFrom('_payment', 'x', 'y'), fc.jsonValue({ maxDepth: 1 })), required: fc.array(fc.constantFrom('_payment', 'x')) })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(tool), fc.constantFrom('', ' ', '\n'), (tools, gap) => {
        const shown = JSON.parse(bridge().list(JSON.stringify(tools, null, gap))) as Record<string, unknown>[];
        expect(shown).toEqual((JSON.parse(JSON.stringify(tools)) as Record<string, unknown>[]).map(shownAs));
      }),
      { numRuns: 500 },
    );
  });

  test('two thousand tools take longer than a client notices', () => {
    const entry = (n: number) => ({ name: `tool-${n}`, description: 'x'.repeat(200), payment: { required: true, price: 0.01, currency: 'USDC' }, inputSchema: { type: 'object', properties: { a: { type: 'string' }, _payment: { type: 'object' } }, required: ['a', '_payment'] } });
    const text = answer(JSON.stringify(Array.from({ length: 2000 }, (_, n) => entry(n))));
    const { listAnswer } = bridge();
    const start = performance.now();
    const shown = listAnswer(text);
    // About 20 ms on a developer's machine; anything that is not linear takes seconds.
    expect(performance.now() - start).toBeLessThan(1000);
    expect(shown.match(/\(Cost: 0\.01 USDC\)/g)).toHaveLength(2000);
    expect(shown).not.toContain('_payment');
  });
});

/** What the agent should be shown of a tool, computed on values instead of bytes. */
function shownAs(tool: Record<string, unknown>): Record<string, unknown> {
  const { name, description, payment, annotations, inputSchema } = tool;
  if (typeof name !== 'string') return tool;
  const isRequired = (payment as { required?: unknown } | undefined)?.required === true;
  const dollars = (annotations as { paymentPriceUSD?: unknown } | undefined | null)?.paymentPriceUSD === 3;
  const cost = isRequired ? '(Cost: 0.5 USDC)' : dollars ? '(Cost: 3 USD)' : '';
  const shown = { ...tool };
  if (cost !== '' && (description === undefined || typeof description === 'string')) shown['description'] = description ? `${description} ${cost}` : cost;
  const schema = inputSchema as { properties?: unknown; required?: unknown } | null | undefined;
  if (isRequired && schema !== null && typeof schema === 'object' && !Array.isArray(schema)) {
    const { properties, required } = schema;
    shown['inputSchema'] = {
      ...schema,
      ...(properties !== null && typeof properties === 'object' && !Array.isArray(properties) && { properties: Object.fromEntries(Object.entries(properties).filter(([key]) => key !== '_payment')) }),
      ...(Array.isArray(required) && { required: required.filter((key) => key !== '_payment') }),
    };
  }
  return shown;
}

describe('a call', () => {
  const call = (args: string, meta: string, name = 'a') => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args} , "_meta":${meta}}}`;

  test.each([
    ['mpx', '{"x":1,"payment_authorization":"{}"}', '{"progressToken":1,"mpx/v1.authorization":{}}', '{"x":1}', '{"progressToken":1}'],
    ['mpp', '{"x":1}', '{"org.paymentauth/credential":{}}', '{"x":1}', '{}'],
    ['mpp-http', '{}', '{"org.paymentauth/credential":{}, "a":1}', '{}', '{"a":1}'],
    ['x402-mcp', '{"_payment":1}', '{"x402/payment":{},"x402.payment":"","a":[1, 2]}', '{"_payment":1}', '{"a":[1, 2]}'],
    ['transfer-proof', '{ "_payment" : {"signature":"s"} , "x":12345678901234567890}', '{"x402/payment":{}}', '{ "x":12345678901234567890}', '{"x402/payment":{}}'],
  ])('an agent\'s own proof reaches a server that asked in dialect %s', (dialect, args, meta, leftArgs, leftMeta) => {
    const { facts, call: shown } = bridge();
    facts.noteChallenge('shop', 'a', dialect);
    expect(shown(call(args, meta))).toBe(call(leftArgs, leftMeta));
    expect(shown(call(args, meta, 'free'))).toBe(call(args, meta, 'free'));
  });

  test('an agent\'s own proof reaches a tool whose price is listed', () => {
    const { list, call: shown } = bridge();
    list('[{"name":"a","payment":{"required":true,"price":0.01,"currency":"USDC"}},{"name":"b","annotations":{"paymentPriceUSD":1}}]');
    expect(shown(call('{"_payment":{}}', '{}'))).toBe(call('{}', '{}'));
    expect(shown(call('{"_payment":{}}', '{"x402/payment":{}}', 'b'))).toBe(call('{"_payment":{}}', '{}', 'b'));
  });

  test.each([
    ['another method', '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a","arguments":{"_payment":1}}}'],
    ['arguments that are no object', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":["_payment"],"_meta":"_payment"}}'],
    ['no arguments', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}'],
  ])('I8: %s is changed', (_name, text) => {
    const { facts, call: shown } = bridge();
    facts.noteChallenge('shop', 'a', 'transfer-proof');
    expect(shown(text)).toBe(text);
  });

  test('what another server said under a name counts after it was changed', () => {
    const { facts, call: shown } = bridge();
    facts.noteChallenge('shop', 'a', 'transfer-proof');
    facts.noteLink({ upstream: 'shop', tool: 'a', kind: 'payment-link', url: 'https://pay.example', message: '' });
    facts.forget('shop');
    expect(facts.links()).toEqual([]);
    const text = call('{"_payment":1}', '{}');
    expect(shown(text)).toBe(text);
  });
});

test('an output schema is not seen, is held against another tool, or outlives the list that no longer has it', async () => {
  const { list, schemas } = bridge();
  const result = parseJson('{"structuredContent":{"n":12345678901234567890}}');
  const problem = (upstream: string, tool: string) => schemas.problem({ upstream, tool }, result);
  const listed = '[ {"outputSchema": {"type" : "object"},"name":"a"}, {"name":"b"} ]';
  expect(list(listed)).toBe(listed);
  expect(await problem('shop', 'a')).toBe('{"type" : "object"} {"n":12345678901234567890}');
  expect([await problem('shop', 'b'), await problem('other', 'a')]).toEqual([undefined, undefined]);

  list('[ {"name":"a"} ]');
  expect(await problem('shop', 'a')).toBeUndefined();
  list(listed);
  schemas.forget('shop');
  expect(await problem('shop', 'a')).toBeUndefined();
});
