import { createContext, Script } from 'node:vm';
import type { AnySchema, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { SchemaCheck } from '../../core/payments/output-schemas.ts';

/** A schema and a value can be made so that matching them takes for ever; the whole process waits for it. */
const LIMIT_MS = 250;
const MOST_COMPILED = 100;
const MAX_WORDS = 200;
/** JSON Schema 2020-12 is what MCP means where a schema names none. */
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const OPTIONS: Options = { strict: false, validateFormats: false, allErrors: false, logger: false, addUsedSchema: false, ownProperties: true };

export interface Schemas {
  readonly check: SchemaCheck;
  /** Can this schema judge anything: can it be compiled, in time? */
  isUsable(schemaText: string): Promise<boolean>;
}

/** Checks by ajv, which is loaded when it is first needed. Formats are annotations; nothing is fetched. */
export const createSchemaCheck = (limitMs = LIMIT_MS): SchemaCheck => createSchemas(limitMs).check;

export function createSchemas(limitMs = LIMIT_MS): Schemas {
  // Absent: not seen yet. Undefined: cannot be compiled in time, or matched in time, and is not tried again.
  const compiled = new Map<string, ValidateFunction | undefined>();
  const bounded = createBounded(limitMs);

  const validatorOf = async (schemaText: string): Promise<ValidateFunction | undefined> => {
    const { compile } = await loadAjv();
    if (!compiled.has(schemaText)) {
      const [oldest] = compiled.keys();
      if (compiled.size >= MOST_COMPILED && oldest !== undefined) compiled.delete(oldest);
      compiled.set(schemaText, bounded(() => compile(JSON.parse(schemaText))).value);
    }
    return compiled.get(schemaText);
  };

  return {
    async check(schemaText, valueText) {
      const validate = await validatorOf(schemaText);
      if (!validate) return undefined;
      const { value: fits, late } = bounded(() => validate(JSON.parse(valueText)));
      if (late) compiled.set(schemaText, undefined);
      return fits === false ? inWords(validate.errors?.[0]) : undefined;
    },
    isUsable: async (schemaText) => (await validatorOf(schemaText)) !== undefined,
  };
}

interface Bounded<T> {
  /** Undefined where the work threw or took too long. */
  readonly value?: T;
  readonly late: boolean;
}

/** Runs work on this thread, and ends it after `limitMs` wherever it is: V8 then unwinds everything that a script of `node:vm` called. */
function createBounded(limitMs: number): <T>(work: () => T) => Bounded<T> {
  const context: { work: () => void } = { work: () => {} };
  createContext(context);
  const script = new Script('work()');
  return <T>(work: () => T) => {
    let value: T | undefined;
    context.work = () => {
      value = work();
    };
    try {
      script.runInContext(context, { timeout: limitMs });
      return { ...(value !== undefined && { value }), late: false };
    } catch (error) {
      return { late: (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' };
    } finally {
      context.work = () => {};
    }
  };
}

async function loadAjv() {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')]);
  return {
    /** With a compiler of its own for each schema, so that one that was ended halfway leaves nothing behind. Throws where it cannot be compiled. */
    compile(schema: AnySchema): ValidateFunction {
      const dialect: unknown = typeof schema === 'object' ? schema['$schema'] : undefined;
      if (typeof dialect === 'string' && DRAFT_7.test(dialect)) return new Ajv(OPTIONS).compile(schema);
      if (dialect !== undefined && dialect !== DRAFT_2020) throw new Error('a dialect of JSON Schema that is not known');
      return new Ajv2020(OPTIONS).compile(schema);
    },
  };
}

const inWords = (error: ErrorObject | undefined): string => `${error?.instancePath || 'it'} ${error?.message ?? 'does not fit'}`.slice(0, MAX_WORDS);
