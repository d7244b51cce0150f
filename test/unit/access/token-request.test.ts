import { expect, test } from 'vitest';
import { readTokenRequest, TokenRefusal } from '../../../src/main/access/token-request.ts';

const FORM = 'application/x-www-form-urlencoded';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const POSTED = 'grant_type=client_credentials&client_id=a&client_secret=b';

interface Given {
  readonly body?: string;
  readonly query?: string;
  readonly type?: string;
  readonly authorization?: string;
}
const read = ({ body = POSTED, query = '', type = FORM, authorization }: Given) => readTokenRequest({ 'content-type': type, ...(authorization !== undefined && { authorization }) }, query, body);
const refused = (given: Given): unknown => {
  try {
    return read(given);
  } catch (error) {
    return error instanceof TokenRefusal ? `${error.status} ${error.error}` : error;
  }
};

test('credentials in the body or in the header cannot be read, or their form encoding is forgotten', () => {
  expect(read({})).toEqual({ clientId: 'a', clientSecret: 'b', scope: [], basic: false });
  expect(read({ body: 'grant_type=client_credentials&scope=one++two&resource=http://x', authorization: basic('a%3Ab+c:d%25%C3%A9') })).toEqual({ clientId: 'a:b c', clientSecret: 'd%é', scope: ['one', 'two'], resource: 'http://x', basic: true });
  expect(read({ type: `${FORM}; charset=UTF-8`, body: `${POSTED}&scope=` })).toMatchObject({ scope: [] });
});

test.each<[string, Given, string]>([
  ['in the address', { query: 'client_secret=b' }, '400 invalid_request'],
  ['as JSON', { type: 'application/json', body: '{}' }, '400 invalid_request'],
  ['with a parameter twice', { body: `${POSTED}&scope=a&scope=b` }, '400 invalid_request'],
  ['with the secret twice, so that two readers could differ', { body: `${POSTED}&client_secret=c` }, '400 invalid_request'],
  ['with credentials in two places', { authorization: basic('a:b') }, '400 invalid_request'],
  ['with two different ids', { authorization: basic('a:b'), body: 'grant_type=client_credentials&client_id=c' }, '400 invalid_request'],
  ['with too many parameters', { body: `${POSTED}&${Array.from({ length: 40 }, (_, index) => `p${index}=1`).join('&')}` }, '400 invalid_request'],
  ['without a grant', { body: 'client_id=a&client_secret=b' }, '400 invalid_request'],
  ['for another grant', { body: 'grant_type=password&client_id=a&client_secret=b' }, '400 unsupported_grant_type'],
  ['without credentials', { body: 'grant_type=client_credentials' }, '401 invalid_client'],
  ['without a secret', { body: 'grant_type=client_credentials&client_id=a' }, '401 invalid_client'],
  ['with a bearer token', { authorization: 'Bearer brs_x', body: 'grant_type=client_credentials' }, '401 invalid_client'],
  ['with a header that is no base64', { authorization: 'Basic !!!', body: 'grant_type=client_credentials' }, '401 invalid_client'],
  ['with a header without a colon', { authorization: basic('ab'), body: 'grant_type=client_credentials' }, '401 invalid_client'],
  ['with a broken escape', { authorization: basic('a:%E0%A4%A'), body: 'grant_type=client_credentials' }, '401 invalid_client'],
])('a request %s is taken', (_name, given, refusal) => {
  expect(refused(given)).toBe(refusal);
});

test('a name of an own property of objects is taken for a parameter', () => {
  expect(refused({ body: 'grant_type=client_credentials&__proto__=x&constructor=y' })).toBe('401 invalid_client');
});
