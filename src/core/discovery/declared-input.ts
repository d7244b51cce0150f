import type { BodyType, Place } from './endpoint-input.ts';
import { firstOf, isPlainObject, own, textIn, type PlainObject } from './plain-json.ts';

/** What stands in one place of a request. */
export interface Fields {
  readonly properties: PlainObject;
  readonly required: ReadonlySet<string>;
  /** The JSON Schema that they came of; absent where they were told in another form. */
  readonly schema?: PlainObject;
}

/** How an endpoint declares that it is called, in one form for every version of x402. */
export interface Declared {
  /** Upper case; empty for what is no HTTP endpoint. */
  readonly method: string;
  readonly isDeclared: boolean;
  readonly places: Readonly<Partial<Record<Place, Fields>>>;
  readonly bodyType: BodyType;
  /** Path with `:name` for what an argument fills in; empty where the path of the address is meant. */
  readonly template: string;
  /** `$defs` and `definitions`, to which `$ref` may lead. */
  readonly definitions: PlainObject;
  /** `$schema` of the published schema. */
  readonly dialect: string;
}

/** x402 specification v2, extension "bazaar", `routeTemplate`. */
const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]{0,500}$/;
const JSON_TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array'];
/** Headers that belong to the connection, the payment or the form of the body are not for an agent to fill in. */
const NOT_FOR_AGENTS = /^(?:(?:x-)?payment(?:-.*)?|host|connection|content-length|content-type|transfer-encoding|accept|accept-encoding|user-agent)$/i;

/** The members of `outputSchema.input` under which version 1 named the same thing. */
const V1_KEYS: Readonly<Record<Place, readonly string[]>> = {
  path: ['pathParams', 'path_params'],
  query: ['queryParams', 'query_params', 'query', 'params'],
  header: ['headerFields', 'header_fields', 'headers'],
  body: ['bodyFields', 'body_fields', 'bodyParams', 'body', 'data', 'properties'],
};
const V2_KEYS: Readonly<Record<Place, string>> = { path: 'pathParams', query: 'queryParams', header: 'headers', body: 'body' };
const PLACE_NAMES = ['path', 'query', 'header', 'body'] as const;

export function declared(entry: unknown, offers: readonly unknown[]): Declared {
  const metadata = own(entry, 'metadata');
  const bazaar = own(own(entry, 'extensions'), 'bazaar') ?? own(metadata, 'bazaar');
  const info = own(own(bazaar, 'info'), 'input');
  if (isPlainObject(info) || isPlainObject(own(bazaar, 'schema'))) return declaredV2(bazaar, info);
  const v1 = [own(entry, 'outputSchema'), ...offers.map((offer) => own(offer, 'outputSchema')), metadata].map((schema) => own(schema, 'input')).find(isPlainObject);
  if (v1) return declaredV1(v1);
  const method = textIn(own(entry, 'method') ?? own(metadata, 'method')).toUpperCase();
  return { method: method || 'GET', isDeclared: false, places: {}, bodyType: 'json', template: '', definitions: {}, dialect: '' };
}

function declaredV2(bazaar: unknown, info: unknown): Declared {
  const schema = own(bazaar, 'schema');
  const members = own(own(own(schema, 'properties'), 'input'), 'properties');
  const type = textIn(own(info, 'type')) || textIn(own(own(members, 'type'), 'const'));
  const hasBody = own(info, 'body') !== undefined || isPlainObject(own(members, 'body'));
  const places = Object.fromEntries(
    PLACE_NAMES.flatMap((place) => {
      const published = own(members, V2_KEYS[place]);
      const fields = fieldsOfSchema(published) ?? fieldsOfExample(own(info, V2_KEYS[place]));
      return fields ? [[place, forAgents(place, fields)]] : [];
    }),
  );
  const template = textIn(own(bazaar, 'routeTemplate'));
  return {
    method: type === '' || type === 'http' ? methodOf(own(info, 'method'), own(members, 'method'), hasBody) : '',
    isDeclared: true,
    places,
    bodyType: bodyTypeOf(own(info, 'bodyType')),
    template: TEMPLATE.test(template) && isHarmless(template) ? template : '',
    definitions: definitionsOf(schema),
    dialect: textIn(own(schema, '$schema')),
  };
}

function declaredV1(input: PlainObject): Declared {
  const type = textIn(own(input, 'type'));
  const places = Object.fromEntries(
    PLACE_NAMES.flatMap((place) => {
      const given = firstOf(input, V1_KEYS[place]);
      const fields = fieldsOfSchema(given) ?? fieldsOfRecord(given);
      return fields ? [[place, forAgents(place, fields)]] : [];
    }),
  );
  return {
    method: type === '' || type === 'http' ? methodOf(own(input, 'method'), undefined, 'body' in places) : '',
    isDeclared: true,
    places,
    bodyType: bodyTypeOf(firstOf(input, ['bodyType', 'body_type'])),
    template: '',
    definitions: {},
    dialect: '',
  };
}

function methodOf(told: unknown, schema: unknown, hasBody: boolean): string {
  const allowed = own(schema, 'const') ?? firstIn(own(schema, 'enum'));
  return (textIn(told) || textIn(allowed) || (hasBody ? 'POST' : 'GET')).toUpperCase();
}

const firstIn = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

function bodyTypeOf(told: unknown): BodyType {
  const type = textIn(told).toLowerCase();
  if (type.includes('urlencoded')) return 'form';
  if (type.includes('form') || type.includes('multipart')) return 'multipart';
  return type.includes('text') || type.includes('plain') ? 'text' : 'json';
}

/** A path that leads out of itself, also when it is decoded, is none. */
function isHarmless(template: string): boolean {
  try {
    const plain = decodeURIComponent(template);
    return !plain.includes('..') && !plain.includes('://') && !plain.includes('//');
  } catch {
    return false;
  }
}

/** A JSON Schema of an object, as it is. */
function fieldsOfSchema(value: unknown): Fields | undefined {
  if (!isPlainObject(value)) return undefined;
  const properties = own(value, 'properties');
  const isSchema = (own(value, 'type') === 'object' && isPlainObject(properties)) || ['$ref', 'allOf', 'anyOf', 'oneOf'].some((key) => own(value, key) !== undefined);
  if (!isSchema) return undefined;
  const required = own(value, 'required');
  return { properties: isPlainObject(properties) ? properties : {}, required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []), schema: value };
}

/** The fields of version 1: a name with the type or a description in words, or with something like a JSON Schema. */
function fieldsOfRecord(value: unknown): Fields | undefined {
  if (!isPlainObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, field]) => typeof field === 'string' || isPlainObject(field));
  if (entries.length === 0) return undefined;
  return {
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    required: new Set(entries.filter(([, field]) => own(field, 'required') === true).map(([name]) => name)),
  };
}

function fieldSchema(field: unknown): unknown {
  if (typeof field === 'string') return JSON_TYPES.includes(field) ? { type: field } : { type: 'string', description: field };
  if (!isPlainObject(field) || typeof own(field, 'required') !== 'boolean') return field;
  // A boolean here is what version 1 has in place of a list in the object around it.
  return Object.fromEntries(Object.entries(field).filter(([key]) => key !== 'required'));
}

/** Where no schema was published, an example tells names and types; nothing is required by it. */
function fieldsOfExample(value: unknown): Fields | undefined {
  if (!isPlainObject(value)) return undefined;
  const properties = Object.fromEntries(
    Object.entries(value).map(([name, example]) => {
      const type = Array.isArray(example) ? 'array' : typeof example;
      return [name, { ...(example !== null && JSON_TYPES.includes(type) && { type }), examples: [example] }];
    }),
  );
  return Object.keys(properties).length === 0 ? undefined : { properties, required: new Set() };
}

function forAgents(place: Place, fields: Fields): Fields {
  if (place !== 'header') return fields;
  const isTheirs = (name: string): boolean => !NOT_FOR_AGENTS.test(name);
  return { properties: Object.fromEntries(Object.entries(fields.properties).filter(([name]) => isTheirs(name))), required: fields.required };
}

const definitionsOf = (schema: unknown): PlainObject => Object.fromEntries(['$defs', 'definitions'].flatMap((key) => (isPlainObject(own(schema, key)) ? [[key, own(schema, key)]] : [])));
