import * as fc from 'fast-check';

const comment = fc.constantFrom('', '', '', ' // note, "x": {', ' /* , } */');
const space = fc.constantFrom(' ', '\n  ', '\n\t', '\r\n    ', '\n\n  ');
const name = fc.constantFrom('theme', 'files', 'a,b', 'ü', 'quo"te', '', 'constructor', '10');
const scalar = fc.oneof(fc.constantFrom('1.50e+0', '12345678901234567890', 'true', 'null', '"//not"', '"\\u0041"'), fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)));

/** Members of an object, with comments and space where people put them. */
const members = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.uniqueArray(fc.tuple(name, value, comment, comment), { selector: ([key]) => key, maxLength: 4 }), space, fc.boolean())
    .map(([list, gap, trailing]) => {
      const end = (text: string) => (text.includes('//') ? `${text}\n` : text);
      const body = list.map(([key, text, before, after], index) => `${gap}${JSON.stringify(key)}:${end(before)} ${text}${index < list.length - 1 || trailing ? ',' : ''}${end(after)}`).join('');
      return `${body}${gap.replace(/[ \t]+$/, '')}`;
    });

/** A JSONC document as a person may have left it: its servers lie under the key. */
export const oddJsonc = (key: string): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', '\uFEFF'), fc.constantFrom('', '// mine\n', '/* a\n b */ '), members(scalar), fc.option(members(scalar)), fc.constantFrom('', '\n', ' // end\n', '\r\n\r\n')).map(([mark, head, rest, servers, tail]) => {
    const inner = servers === null ? '' : `\n  ${JSON.stringify(key)}: {${servers}}`;
    const first = rest.trim() === '' || inner === '' ? '' : ',';
    return `${mark}${head}{${inner}${first}${rest}}${tail}`;
  });

const tomlName = fc.constantFrom('files', '"a.b"', "'lit#eral'", 'x-1');
const tomlValue = fc.constantFrom('1_000', '"# no comment"', "'''\n[mcp_servers.fake]\n'''", '"""a\n\\"""b"""', '[ 1, # one\n  2,\n]', '{ a = 1, b = "]" }', '1979-05-27T07:32:00Z', '0x1F', 'inf', '9223372036854775807');
const tomlLines = fc.uniqueArray(fc.tuple(fc.constantFrom('alpha', 'beta', '"ga mma"', 'delta.x'), tomlValue, fc.constantFrom('', ' # why', '\n# alone', '\n')), { selector: ([key]) => key, maxLength: 4 }).map((lines) => lines.map(([key, value, after]) => `${key} = ${value}${after}\n`).join(''));

/** A TOML document as a person may have left it. */
export const oddToml = (key: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '\uFEFF'),
      tomlLines,
      fc.uniqueArray(fc.tuple(tomlName, tomlLines, fc.boolean()), { selector: ([server]) => server, maxLength: 3 }),
      fc.constantFrom('', '[[profiles]]\nname = "[mcp_servers.z]" # [x]\n[[profiles]]\n', '[ tools . "a]b" ] # end\nweb = true\n', '# the end, without a line break'),
      fc.constantFrom('\n', '\r\n'),
    )
    .map(([mark, head, servers, tail, lineBreak]) => {
      const tables = servers.map(([server, lines, inner]) => `[${key}.${server}]\n${lines}${inner ? `\n[${key}.${server}.env]\nA = "b" # c\n\n` : '\n'}`).join('');
      return mark + `${head}\n${tables}${tail}`.replaceAll('\n', lineBreak);
    });
