import { BursarError } from '../../shared/errors/errors.ts';

/** One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
export interface AuthChallenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; empty where the challenge is a `token68` or the bare scheme. */
  readonly params: ReadonlyMap<string, string>;
}

const MAX_CHARACTERS = 131_072;
const SEPARATORS = /[ \t,]*/y;
const SPACE = /[ \t]*/y;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const QUOTED_TEXT = /[^"\\\u0000-\u0008\u000a-\u001f\u007f]+/y;
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|([\t !-~\u0080-\uffff]))/y;

/** Every challenge of a `WWW-Authenticate` header, in order, over all of its lines. Throws `CHALLENGE_MALFORMED`. */
export const parseAuthenticate = (lines: readonly string[]): AuthChallenge[] => lines.flatMap(parseLine);

function parseLine(line: string): AuthChallenge[] {
  const malformed = (why: string) => new BursarError('CHALLENGE_MALFORMED', `The header WWW-Authenticate ${why}.`);
  if (line.length > MAX_CHARACTERS) throw malformed('is too long');
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found) at = pattern.lastIndex;
    return found ?? undefined;
  };
  const quoted = (): string => {
    at++;
    let text = '';
    while (line[at] !== '"') {
      const plain = take(QUOTED_TEXT);
      const escape = plain ?? take(ESCAPE);
      if (!escape) throw malformed('has a broken quoted string');
      // RFC 9110 never needs to escape a "u"; servers write what no header may hold as \uXXXX.
      text += plain ? plain[0] : escape[1] === undefined ? escape[2] : String.fromCharCode(Number.parseInt(escape[1], 16));
    }
    at++;
    return text;
  };

  const challenges: { readonly scheme: string; readonly params: Map<string, string> }[] = [];
  for (take(SEPARATORS); at < line.length; take(SEPARATORS)) {
    const token = take(TOKEN)?.[0].toLowerCase();
    if (token === undefined) throw malformed('has an unexpected character');
    const current = challenges.at(-1);
    if (current && take(EQUALS)) {
      if (current.params.has(token)) throw malformed(`repeats the parameter "${token.slice(0, 40)}"`);
      const value = line[at] === '"' ? quoted() : take(TOKEN)?.[0];
      if (value === undefined) throw malformed(`has no value for the parameter "${token.slice(0, 40)}"`);
      current.params.set(token, value);
    } else {
      challenges.push({ scheme: token, params: new Map() });
      take(SPACE);
      if (!isParameter(line, at)) take(TOKEN68);
    }
  }
  return challenges;
}

/** A name with `=` and a value behind it; a token68 may end in `=` too, but then nothing follows. */
function isParameter(line: string, at: number): boolean {
  TOKEN.lastIndex = at;
  if (!TOKEN.test(line)) return false;
  EQUALS.lastIndex = TOKEN.lastIndex;
  return EQUALS.test(line) && EQUALS.lastIndex < line.length && /[^,=]/.test(line[EQUALS.lastIndex]!);
}
