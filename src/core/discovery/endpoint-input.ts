import { declared, type Declared, type Fields } from './declared-input.ts';
import { own, type PlainObject } from './plain-json.ts';
import { safeSchema } from './safe-schema.ts';

/** Where a value stands in an HTTP request. */
const PLACES = ['path', 'query', 'header', 'body'] as const;
export type Place = (typeof PLACES)[number];

/** Where an argument goes, and under which name. */
export interface Parameter {
  readonly argument: string;
  readonly place: Place;
  readonly name: string;
}

export type BodyType = 'json' | 'form' | 'multipart' | 'text';

/** How an endpoint is called: one flat object of arguments, and where each of them goes. */
export interface EndpointInput {
  /** JSON Schema of the arguments, with every property as it was published; empty where none can be used. */
  readonly schemaText: string;
  /** Why there is none, in words that follow "because"; empty where there is one. */
  readonly problem: string;
  readonly parameters: readonly Parameter[];
  /** Where arguments go that are not named. */
  readonly rest: 'query' | 'body';
  readonly bodyType: BodyType;
}

/** Stands for a value in the path of an address: `:name`, `{name}` or `[name]`. */
const SLOT = /^(?::([A-Za-z0-9_.-]+)|\{([^{}]+)\}|%7B([^{}%]+)%7D|\[([^[\]]+)\])$/i;

/** The name of what fills this part of a path; undefined for one that is fixed. */
export const slotName = (segment: string): string | undefined => SLOT.exec(segment)?.slice(1).find((name) => name !== undefined);

/** What every MCP client takes for the name of a property. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MOST_PARAMETERS = 100;
/** Draft 7 and what came before it share their references and tuples; later drafts are read as 2020-12, which MCP means. */
const OLD_DRAFT = /^https?:\/\/json-schema\.org\/draft-0[4-7]\/schema#?$/;
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
/** What holds for an object as a whole and cannot be said of single properties. */
const WHOLE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'dependencies', 'minProperties', 'maxProperties', 'propertyNames'] as const;

/**
 * Reads how an entry of a Bazaar is called: x402 v2 (`extensions.bazaar`), v1 (`outputSchema.input`), or not at all. The address comes back with its template
 * in place of the path, where it has one. The method is empty for what is no HTTP endpoint.
 */
export function readInput(entry: unknown, offers: readonly unknown[], address: string): { readonly url: string; readonly method: string; readonly input: EndpointInput } {
  const told = declared(entry, offers);
  const url = told.template === '' ? address : address.replace(/^(https?:\/\/[^/?#]*)[^?#]*/i, (_, origin: string) => origin + told.template);
  const found = { ...told, places: withSlots(told.places, url) };
  const rest = found.method === 'GET' || found.method === 'HEAD' || found.method === 'DELETE' ? 'query' : 'body';
  const parameters = parametersOf(found);
  const { schemaText, problem } = found.isDeclared ? safeSchema(argumentsSchema(found, parameters)) : { schemaText: '', problem: 'the list does not say what it takes' };
  return { url, method: found.method, input: { schemaText, problem, parameters: parameters.map(({ argument, place, name }) => ({ argument, place, name })), rest, bodyType: found.bodyType } };
}

/** Exactly what the address leaves open is filled in there. */
function withSlots({ path, ...others }: Declared['places'], url: string): Declared['places'] {
  const [, pathname = ''] = /^https?:\/\/[^/?#]*([^?#]*)/i.exec(url) ?? [];
  const names = pathname.split('/').flatMap((segment) => slotName(segment) ?? []);
  if (names.length === 0) return others;
  return { path: { properties: Object.fromEntries(names.map((name) => [name, own(path?.properties, name) ?? { type: 'string' }])), required: new Set(names) }, ...others };
}

interface FoundParameter extends Parameter {
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** Every property of every place under a name of its own; a name that two places have gets the later place in front. */
function parametersOf({ places }: Declared): readonly FoundParameter[] {
  const taken = new Set<string>();
  return PLACES.flatMap((place) => {
    const fields = places[place];
    if (!fields) return [];
    // Before they are named: names that look alike take longer the more of them there are.
    const entries = Object.entries(fields.properties).slice(0, MOST_PARAMETERS);
    return entries.map(([name, schema]): FoundParameter => {
      const argument = freeName(name, place, taken);
      taken.add(argument);
      return { argument, place, name, schema, isRequired: place === 'path' || fields.required.has(name) };
    });
  }).slice(0, MOST_PARAMETERS);
}

function freeName(name: string, place: Place, taken: ReadonlySet<string>): string {
  const plain = PLAIN_NAME.test(name) ? name : name.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 56) || place;
  if (!taken.has(plain)) return plain;
  const prefixed = `${place}_${plain}`.slice(0, 60);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? prefixed : `${prefixed}_${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function argumentsSchema({ places, definitions, dialect }: Declared, parameters: readonly FoundParameter[]): PlainObject {
  const all = PLACES.flatMap((place) => places[place] ?? []);
  const dialectOf = OLD_DRAFT.test(dialect) ? { $schema: DRAFT_7 } : {};
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  const listed = {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ argument, schema }) => [argument, schema])),
    ...(required.length > 0 && { required }),
  };
  const [only] = all;
  const isClosed = all.length > 0 && all.every(({ schema }) => schema?.['additionalProperties'] === false);
  const whole = all.length === 1 && only?.schema && parameters.every(({ argument, name }) => argument === name) ? wholeOf(only) : {};
  return { ...dialectOf, ...listed, ...whole, ...(isClosed && { additionalProperties: false }), ...definitions };
}

/** What one place alone says of its object as a whole, verbatim. */
const wholeOf = ({ schema }: Fields): PlainObject => Object.fromEntries(WHOLE.flatMap((key) => (own(schema, key) === undefined ? [] : [[key, own(schema, key)]])));

/** The schema of an argument's object that takes anything. */
export const OPEN_SCHEMA = '{"type":"object"}';
