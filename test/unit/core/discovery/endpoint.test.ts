import { describe, expect, test } from 'vitest';
import type { BodyType, EndpointInput } from '../../../../src/core/discovery/endpoint-input.ts';
import { endpointRequest, isCallOf } from '../../../../src/core/discovery/endpoint-request.ts';
import { baseName, OWN_TOOL_NAMES, toolName } from '../../../../src/core/discovery/tool-name.ts';
import { readShownName } from '../../../../src/main/bridge/aggregate/names.ts';

describe('the name of a tool', () => {
  test.each([
    ['https://api.weather.com/v1/forecast', 'forecast'],
    ['https://news-api.com/get-headlines', 'get_headlines'],
    ['https://api.example.com/123-data', 'x402_123_data'],
    ['https://api.example.com/v2/sentiment-analysis?key=1#x', 'sentiment_analysis'],
    ['https://api.maps.com/geocode/', 'geocode'],
    ['https://api.example.com/users/:userId', 'users'],
    ['https://api.example.com/%7Bid%7D', 'api_example_com'],
    ['https://api.example.com/', 'api_example_com'],
    ['https://api.example.com/天気', 'api_example_com'],
    ['https://api.example.com/a__b', 'a_b'],
  ])('%s is not called %s', (url, name) => {
    expect(baseName(url)).toBe(name);
  });

  test('two endpoints share a name, or one takes that of Bursar\'s own tools or of a server\'s', () => {
    const taken = new Set<string>();
    const name = (url: string) => {
      const found = toolName(url, (one) => taken.has(one));
      taken.add(found);
      return found;
    };
    expect(['https://a.com/forecast', 'https://b.com/forecast', 'https://b.com/v2/forecast', 'https://b.com/v3/forecast'].map(name)).toEqual(['forecast', 'forecast_b_com', 'forecast_b_com_2', 'forecast_b_com_3']);
    for (const own of OWN_TOOL_NAMES) expect(name(`https://evil.com/${own.replaceAll('_', '-')}`)).not.toBe(own);
    expect(name('https://evil.com/demo__sun_times')).toBe('demo_sun_times');
    expect(name('https://evil.com/weather_0123456789abcdef')).toBe('weather_0123456789abcdef_evil_com');
    for (const long of ['a', 'a', 'a'].map((letter) => name(`https://${'h'.repeat(60)}.com/${letter.repeat(300)}`))) expect(long).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    for (const one of taken) expect(readShownName(one)).toBeUndefined();
  });
});

describe('the request of a call', () => {
  const input = (parameters: EndpointInput['parameters'], change: Partial<EndpointInput> = {}): EndpointInput => ({ schemaText: '', problem: '', parameters, rest: 'query', bodyType: 'json', ...change });
  const get = (url: string, args: string, parameters: EndpointInput['parameters'] = []) => endpointRequest({ url, method: 'GET', input: input(parameters) }, args);

  test('values leave their place in the address', () => {
    const id = [{ argument: 'id', place: 'path', name: 'id' }] as const;
    expect(get('https://a.example/u/:id/x?k=1', '{"id":"a/../b?c#d&e"}', id).url).toBe('https://a.example/u/a%2F..%2Fb%3Fc%23d%26e/x?k=1');
    expect(get('https://a.example/u/%7Bid%7D', '{"id":7}', id).url).toBe('https://a.example/u/7');
    for (const value of ['""', '"."', '".."']) expect(() => get('https://a.example/u/:id', `{"id":${value}}`, id)).toThrow(/cannot be part/);
    expect(() => get('https://a.example/u/:id', '{}', id)).toThrow(/"id" is missing/);
    expect(get('https://a.example/x', '{"q":"a&b=c#d","list":[1,"2"],"none":null}').url).toBe('https://a.example/x?q=a%26b%3Dc%23d&list=1&list=2');
  });

  test('an agent changes what the owner approved as fixed', () => {
    expect(() => get('https://a.example/x?plan=basic', '{"plan":"gold"}')).toThrow(/"plan" is fixed/);
    expect(() => get('https://a.example/x?pl%61n=basic', '{"plan":"gold"}')).toThrow(/"plan" is fixed/);
  });

  test.each<[BodyType, string, string]>([
    ['json', 'application/json', '{"n":12345678901234567890,"x[y]":"ä","more":{"a":[1.0]}}'],
    ['form', 'application/x-www-form-urlencoded', 'n=12345678901234567890&x%5By%5D=%C3%A4&more=%7B%22a%22%3A%5B1.0%5D%7D'],
    ['text', 'text/plain; charset=utf-8', '12345678901234567890\nä\n{"a":[1.0]}'],
    ['multipart', 'multipart/form-data; boundary=bursar-form-field', '--bursar-form-field\r\nContent-Disposition: form-data; name="n"\r\n\r\n12345678901234567890\r\n--bursar-form-field\r\nContent-Disposition: form-data; name="x[y]"\r\n\r\nä\r\n--bursar-form-field\r\nContent-Disposition: form-data; name="more"\r\n\r\n{"a":[1.0]}\r\n--bursar-form-field--\r\n'],
  ])('a body of type %s is written otherwise, or a number loses digits', (bodyType, contentType, bodyText) => {
    const given = input([{ argument: 'x_y_', place: 'body', name: 'x[y]' }], { rest: 'body', bodyType });
    expect(endpointRequest({ url: 'https://a.example/x', method: 'POST', input: given }, '{"n":12345678901234567890,"x_y_":"ä","more":{"a":[1.0]}}')).toEqual({ url: 'https://a.example/x', method: 'POST', headers: { 'content-type': contentType }, bodyText });
  });

  test('a value ends its part of a form', () => {
    const given = input([], { rest: 'body', bodyType: 'multipart' });
    const { bodyText, headers } = endpointRequest({ url: 'https://a.example/x', method: 'POST', input: given }, JSON.stringify({ a: '--bursar-form-field--', 'b"\r\nX: y': 1 }));
    expect(headers['content-type']).toBe('multipart/form-data; boundary=bursar-form-field-x');
    expect(bodyText).not.toMatch(/^X: y/m);
  });

  test('a call of one endpoint counts as one of another', () => {
    expect(isCallOf({ url: 'https://a.example/u/:id/x?k=1', method: 'GET' }, 'GET /u/7/x')).toBe(true);
    for (const other of ['POST /u/7/x', 'GET /u/7', 'GET /u/7/x/y', 'GET /v/7/x']) expect(isCallOf({ url: 'https://a.example/u/:id/x', method: 'GET' }, other)).toBe(false);
  });
});
