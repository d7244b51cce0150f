import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCatalogue, createLastLists, type Gathered } from '../../../src/main/bridge/aggregate/catalogue.ts';
import { readPage, type Listed } from '../../../src/main/bridge/aggregate/lists.ts';
import { shownName } from '../../../src/main/bridge/aggregate/names.ts';
import { createRoutes } from '../../../src/main/bridge/aggregate/routes.ts';
import { createServerRequests } from '../../../src/main/bridge/aggregate/server-requests.ts';
import { scanPayload } from '../../../src/main/bridge/scan.ts';

const pageOf = (value: unknown) => {
  const text = JSON.stringify(value);
  return readPage('tools', 'up', text, { start: 0, end: text.length });
};

describe('a list of a server', () => {
  test('an entry changes in more than its name, or a list of another form throws', () => {
    const tool = fc.record({ name: fc.string(), description: fc.string(), inputSchema: fc.jsonValue(), odd: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(fc.oneof(tool, fc.jsonValue()), { maxLength: 6 }), fc.jsonValue(), (tools, nextCursor) => {
        const { items } = pageOf({ tools, nextCursor });
        const named = tools.filter((each): each is { name: string } => typeof each === 'object' && each !== null && 'name' in each && typeof each.name === 'string');
        expect(items.map(({ text }) => JSON.parse(text) as unknown)).toEqual(named.map((each) => JSON.parse(JSON.stringify({ ...each, name: shownName('up', each.name) })) as unknown));
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => pageOf(value)).not.toThrow();
      }),
    );
  });

  test('a number beyond 2^53 or a space in an entry does not survive', () => {
    const text = '{"tools":[ {"n":12345678901234567890, "name" :"a","name":"b"} ],"nextCursor":"x\\"y"}';
    const { items, nextCursor } = readPage('tools', 'up', text, { start: 0, end: text.length });
    expect(items).toEqual([{ own: 'b', shown: 'up__b', text: '{"n":12345678901234567890, "name" :"up__b","name":"up__b"}' }]);
    expect(nextCursor).toBe('"x\\"y"');
  });
});

describe('the server of an address', () => {
  const listed = (own: string): Listed => ({ own, shown: own, text: JSON.stringify({ uri: own }) });
  const routesOf = (lists: Readonly<Record<string, { readonly resources?: readonly string[]; readonly templates?: readonly string[] }>>) => {
    const none: Gathered = { parts: [], missing: [] };
    const catalogue = {
      ...createCatalogue({ members: () => [], lastLists: createLastLists(), waitMs: 0, onLate: () => {}, onFailure: () => {} }),
      gather: async () => none,
      known: (upstream: string, kind: string) => ((kind === 'resources' ? lists[upstream]?.resources : kind === 'templates' ? lists[upstream]?.templates : []) ?? []).map(listed),
    };
    return createRoutes({ catalogue, names: () => Object.keys(lists) });
  };

  test('an address that comes of a template, or was mentioned in an answer, is not found', async () => {
    const routes = routesOf({ a: { templates: ['file:///{path}/x{?q}'] }, b: { templates: ['db://{table}'], resources: ['db://list'] } });
    expect(await routes.addressed('file:///one/two/x?q=1')).toEqual({ upstream: 'a', own: 'file:///one/two/x?q=1' });
    expect(await routes.addressed('db://users')).toEqual({ upstream: 'b', own: 'db://users' });
    expect(await routes.addressed('db://{table}')).toEqual({ upstream: 'b', own: 'db://{table}' });
    expect(await routes.addressed('note://1')).toBeUndefined();
    routes.mentioned('a', '{"result":{"content":[{"type":"resource_link","uri":"note:\\/\\/1","name":"n"}]}}');
    expect(await routes.addressed('note://1')).toEqual({ upstream: 'a', own: 'note://1' });
    expect(await routes.addressed('bursar://gone/note://1')).toBeUndefined();
  });

  const mention = (uri: string): string => JSON.stringify({ result: { content: [{ type: 'resource_link', uri, name: 'n' }] } });

  test('a server takes over an address of another by mentioning it, or by a template that fits everything', async () => {
    const lists: Record<string, { readonly resources?: readonly string[]; readonly templates?: readonly string[] }> = { evil: { templates: ['{+all}', 'file:///{x}'] }, good: {} };
    const routes = routesOf(lists);
    for (const uri of ['db://users', 'db://list', 'note://1']) routes.mentioned('evil', mention(uri));
    // What is learnt of the other server later counts all the same.
    lists['good'] = { templates: ['db://{table}'], resources: ['db://list'] };
    expect(await routes.addressed('db://users')).toMatchObject({ upstream: 'good' });
    expect(await routes.addressed('db://list')).toMatchObject({ upstream: 'good' });
  });

  test('a second mention takes an address over, or many push out what another server mentioned', async () => {
    const routes = routesOf({ evil: {}, good: {} });
    routes.mentioned('good', mention('note://1'));
    for (let n = 1; n < 2_000; n++) routes.mentioned('evil', mention(`note://${n}`));
    expect(await routes.addressed('note://1')).toMatchObject({ upstream: 'good' });
    expect(await routes.addressed('note://1999')).toMatchObject({ upstream: 'evil' });
    expect(await routes.addressed('note://2')).toBeUndefined();
  });

  test('an answer that mentions odd addresses throws', () => {
    const routes = routesOf({ a: {} });
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, uri) => {
        routes.mentioned('a', JSON.stringify({ type: 'resource', value, text: JSON.stringify({ uri }), uri, nested: { 'uri"': 1, uri: value } }));
      }),
    );
  });
});

test('an answer reaches a server that did not ask, or a second one does', () => {
  const requests = createServerRequests<string>();
  const shownOf = (member: string, text: string) => requests.add(member, text, scanPayload(text).messages[0]!);
  const answer = (text: string) => requests.answer(text, scanPayload(text).messages[0]!);
  const [one, two] = ['one', 'two'].map((member) => JSON.parse(shownOf(member, '{"jsonrpc":"2.0","id":1.0,"method":"roots/list"}')) as { id: string });
  const reply = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`;
  expect(answer(reply(two?.id))).toEqual({ member: 'two', text: '{"jsonrpc":"2.0","id":1.0,"result":{}}' });
  expect(answer(reply(two?.id))).toBeUndefined();
  expect(answer(reply(1))).toBeUndefined();
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  expect(requests.cancelled('two', cancelled, scanPayload(cancelled).messages[0]!)).toBeUndefined();
  expect(requests.cancelled('one', cancelled, scanPayload(cancelled).messages[0]!)).toContain(JSON.stringify(one?.id));
});
