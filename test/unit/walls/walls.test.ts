import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { importGraph, packagesIn } from './import-graph.ts';
import { LAYERS, layerViolations } from './layers.ts';

const root = join(import.meta.dirname, '../../..');
const src = join(root, 'src');
const built = join(root, 'out');

/** `npm test` builds first and sets it: then nothing may be missing. Without it what is not built (yet) is skipped. */
const required = process.env['BURSAR_REQUIRE_BUILD'] === '1';
const lacks = (path: string) => !required && !existsSync(path);

/** The packages beside the bundle: those that `package.json` ships. */
const shipped = Object.keys(
  z.object({ dependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).dependencies,
);

/** Accelerators that `ws` tries to load and does without. */
const OPTIONAL = new Set(['bufferutil', 'utf-8-validate']);

const bundle = (...entries: string[]) => importGraph(entries, { allowComputed: true });

const filesUnder = (folder: string, pattern: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));

describe('sources', () => {
  const files = filesUnder(src, /\.tsx?$/);

  it('has a walker that sees next to nothing', () => {
    const graph = importGraph(files);
    const arrows = [...graph.values()].reduce((sum, module) => sum + module.files.length, 0);
    expect(graph.size).toBeGreaterThanOrEqual(30);
    expect(arrows).toBeGreaterThan(graph.size);
  });

  it('has a folder that no wall knows', () => {
    expect(readdirSync(src).filter((name) => !LAYERS[name])).toEqual([]);
  });

  it('has an import that points up', () => {
    expect(layerViolations(src, importGraph(files))).toEqual([]);
  });

  for (const name of ['headless.ts', 'cli.ts']) {
    const entry = join(src, 'main', name);
    it.skipIf(lacks(entry))(`reaches Electron from ${name}`, () => {
      const graph = importGraph([entry]);
      expect(packagesIn(graph).filter((specifier) => /^electron(?:\/|$)/.test(specifier))).toEqual([]);
      expect([...graph.keys()].filter((path) => relative(src, path).startsWith(join('main', 'host')))).toEqual([]);
      expect(graph.size).toBeGreaterThan(20);
    });
  }
});

describe('build', () => {
  it.skipIf(lacks(join(built, 'main/shim.js')))('has a shim that needs more than Node, or more than one file', () => {
    const graph = bundle(join(built, 'main/shim.js'));
    expect(graph.size).toBe(1);
    expect(packagesIn(graph).length).toBeGreaterThan(0);
    expect(packagesIn(graph).filter((specifier) => !isBuiltin(specifier))).toEqual([]);
  });

  for (const name of ['headless.js', 'cli.js']) {
    const entry = join(built, 'main', name);
    it.skipIf(lacks(entry))(`reaches Electron, or a package that is not shipped, from ${name}`, () => {
      const packages = packagesIn(bundle(entry)).filter((specifier) => !isBuiltin(specifier) && !OPTIONAL.has(specifier));
      expect(packages).toContain('better-sqlite3');
      expect(packages.filter((specifier) => !shipped.includes(specifier))).toEqual([]);
    });
  }

  it.skipIf(lacks(join(built, 'main/cli.js')))('reads WebAssembly from where the build has put none, so that the first EVM payment fails', () => {
    const readers = filesUnder(join(built, 'main'), /\.js$/).filter((file) => readFileSync(file, 'utf8').includes('secp256k1.wasm'));
    expect(readers).toHaveLength(1);
    expect(readFileSync(join(dirname(readers[0]!), 'secp256k1.wasm')).subarray(0, 4).toString('latin1')).toBe('\0asm');
  });

  it.skipIf(lacks(join(built, 'preload')))('has a preload that requires more than electron', () => {
    const preloads = filesUnder(join(built, 'preload'), /\.cjs$/);
    expect(preloads.length).toBeGreaterThan(0);
    for (const preload of preloads) expect(packagesIn(bundle(preload))).toEqual(['electron']);
  });

  it.skipIf(lacks(join(built, 'main/cli.js')))('has a failpoint, by which whoever sets the environment could stop it between two commits', () => {
    const source = readFileSync(join(src, 'core/failpoint.ts'), 'utf8');
    const names = [...source.matchAll(/^ {2}\| '([\w-]+)'/gm)].map(([, name]) => name!);
    expect(names).toContain('journal-committed');
    const files = filesUnder(built, /\.(?:c|m)?js$|\.html$/);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      expect(['BURSAR_FAILPOINT', '__FAILPOINTS__', ...names].filter((word) => text.includes(word)), file).toEqual([]);
    }
  });

  it.skipIf(lacks(join(root, 'out-test/main/cli.js')))('has no failpoint in the test build either, so that the test above proves nothing', () => {
    const texts = filesUnder(join(root, 'out-test/main'), /\.js$/).map((file) => readFileSync(file, 'utf8'));
    expect(texts.some((text) => text.includes('BURSAR_FAILPOINT'))).toBe(true);
    expect(texts.some((text) => text.includes('journal-committed'))).toBe(true);
  });

  it.skipIf(lacks(join(built, 'renderer')))('has a page that imports what a browser cannot resolve', () => {
    const scripts = filesUnder(join(built, 'renderer'), /\.js$/);
    expect(scripts.length).toBeGreaterThan(0);
    expect(packagesIn(bundle(...scripts))).toEqual([]);
  });
});
