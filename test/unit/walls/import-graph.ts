import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSync } from 'vite';

/** One file and what it names: `files` that it reaches by path, `packages` (bare specifiers, `node:` ones included). */
export interface Module {
  readonly path: string;
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** Modules by absolute path. */
export type ImportGraph = ReadonlyMap<string, Module>;

const CODE = /\.(?:[cm]?[jt]s|tsx)$/;

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** The text of a literal, or of a template without holes. */
function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node['type'] === 'TSLiteralType') return literalText(node['literal']);
  if (node['type'] === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  const quasis = node['type'] === 'TemplateLiteral' ? node['quasis'] : undefined;
  if (!Array.isArray(quasis) || quasis.length !== 1) return undefined;
  const [quasi]: unknown[] = quasis;
  const value = isNode(quasi) && isNode(quasi['value']) ? quasi['value']['cooked'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** `require`, the bundler's `__require`, and `module.require`. */
function isRequire(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee['type'] === 'MemberExpression') return isRequire(callee['property']);
  return callee['type'] === 'Identifier' && typeof callee['name'] === 'string' && /^_*require$/.test(callee['name']);
}

/** The node that holds the specifier, where this node imports something. */
function specifierOf(node: Node): unknown {
  switch (node['type']) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node['source'] ?? node['argument'];
    case 'TSExternalModuleReference':
      return node['expression'];
    case 'CallExpression':
      return isRequire(node['callee']) && Array.isArray(node['arguments']) ? node['arguments'][0] : undefined;
    default:
      return undefined;
  }
}

export interface SpecifierOptions {
  /** Pass over `import()` of a computed name. Bundled packages have it (to load a worker, for example); our sources must not. */
  readonly allowComputed?: boolean;
}

/**
 * Every specifier that a module names: imports and re-exports of values and of types, `import()`, `import x = require()`,
 * `require()`. Throws where `import()` is given a computed name, since a wall cannot see through it.
 */
export function specifiersOf(path: string, text: string, { allowComputed = false }: SpecifierOptions = {}): readonly string[] {
  const { program, errors } = parseSync(path, text);
  const [syntax] = errors;
  if (syntax) throw new Error(`${path}: ${syntax.message}`);
  const found = new Set<string>();
  const waiting: unknown[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isNode(node)) continue;
    const source = specifierOf(node);
    const specifier = literalText(source);
    if (specifier !== undefined) found.add(specifier);
    else if (node['type'] === 'ImportExpression' && !allowComputed) throw new Error(`${path}: import() of a computed name`);
    for (const child of Object.values(node)) if (isNode(child)) waiting.push(child);
  }
  return [...found];
}

const isPath = (specifier: string) => /^[./]/.test(specifier);

function readModule(path: string, options: SpecifierOptions): Module {
  if (!CODE.test(path)) return { path, files: [], packages: [] };
  const specifiers = specifiersOf(path, readFileSync(path, 'utf8'), options);
  const files = specifiers.filter(isPath).map((specifier) => resolve(dirname(path), specifier.replace(/\?.*$/, '')));
  for (const file of files) {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`${path} imports ${file}, which is no file`);
  }
  return { path, files, packages: specifiers.filter((specifier) => !isPath(specifier)) };
}

/** Everything that the entries reach by path. Specifiers are expected to name files exactly, extension included. */
export function importGraph(entries: readonly string[], options: SpecifierOptions = {}): ImportGraph {
  const graph = new Map<string, Module>();
  const waiting = entries.map((entry) => resolve(entry));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (graph.has(path)) continue;
    const module = readModule(path, options);
    graph.set(path, module);
    waiting.push(...module.files);
  }
  return graph;
}

/** The bare specifiers named anywhere in the graph, sorted. */
export const packagesIn = (graph: ImportGraph): readonly string[] =>
  [...new Set([...graph.values()].flatMap((module) => module.packages))].toSorted();
