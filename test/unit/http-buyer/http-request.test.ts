import { expect, test } from 'vitest';
import { argumentsOf, checkRequest, serverNameOf } from '../../../src/main/http-buyer/http-request.ts';

test('I3: a host with the dot that ends its name is another seller to the owner’s rules', () => {
  for (const host of ['api.example.com', 'API.example.com.', 'api.example.com..']) {
    const checked = checkRequest({ url: `https://${host}/v1` });
    expect(serverNameOf(checked.url), host).toBe('api.example.com');
    expect(argumentsOf(checked)).toBe('{"method":"GET","url":"https://api.example.com/v1"}');
  }
  expect(serverNameOf(checkRequest({ url: 'http://localhost.:8080/' }).url)).toBe('localhost:8080');
});
