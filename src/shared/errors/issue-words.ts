import type { z } from 'zod';

/** What is wrong with one field. */
export interface FieldIssue {
  /** Where it stands: `caps[0].amount`; empty for the whole value. */
  readonly field: string;
  /** The last name on the way to it, as the caller wrote it. */
  readonly name: string;
  /** Why it cannot be taken: words that follow a colon, without a full stop. No value is quoted: it may be a secret. */
  readonly words: string;
}

const TYPES: Readonly<Record<string, string>> = { string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', record: 'an object' };
const COUNTED: Readonly<Record<string, string>> = { string: ' characters', array: ' entries', set: ' entries' };

/** Words for what a schema itself says nothing about. Goes with a parse as `{ error: issueWords }`; words that stand in the schema go before it. */
export const issueWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'it is missing' : `${TYPES[issue.expected] ?? 'something else'} is expected`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'it is empty';
      return `${rangeVerb(issue.origin)} at least ${issue.minimum}${COUNTED[issue.origin] ?? ''}`;
    case 'too_big':
      return `${rangeVerb(issue.origin)} at most ${issue.maximum}${COUNTED[issue.origin] ?? ''}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'it is no address that begins with http:// or https://' : 'it does not have the form that is expected';
    case 'invalid_value':
      return `it has to be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `it has a member that is not known: ${issue.keys.map((key) => key.slice(0, 60)).join(', ')}`;
    case 'invalid_union':
      return 'it has none of the forms that are expected';
    default:
      return 'it cannot be taken';
  }
};

const rangeVerb = (origin: string): string => (COUNTED[origin] === undefined ? 'it has to be' : 'it has to have');

/** The first thing that is wrong. Where a value may have several forms, that of the form which fits furthest. */
export function firstIssue(error: z.ZodError): FieldIssue {
  const [issue] = error.issues;
  return issue ? fieldIssue(issue) : { field: '', name: '', words: 'it cannot be taken' };
}

/** Everything that is wrong, in the order of the schema. */
export const allIssues = (error: z.ZodError): readonly FieldIssue[] => error.issues.map(fieldIssue);

function fieldIssue(issue: z.core.$ZodIssue): FieldIssue {
  const { path, message } = deepest(issue);
  const field = path.reduce<string>((before, part) => (typeof part === 'number' ? `${before}[${part}]` : before === '' ? String(part) : `${before}.${String(part)}`), '');
  // In a list or a variant the last name is what the caller wrote.
  const name = path.findLast((part) => typeof part === 'string') ?? field;
  return { field, name, words: message };
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function deepest(issue: z.core.$ZodIssue): Found {
  const own: Found = { path: issue.path, message: issue.message };
  if (issue.code !== 'invalid_union') return own;
  const inner = issue.errors.flatMap(([first]) => (first ? [deepest(first)] : [])).filter(({ path }) => path.length > 0);
  const best = inner.toSorted((a, b) => b.path.length - a.path.length)[0];
  return best ? { path: [...issue.path, ...best.path], message: best.message } : own;
}
