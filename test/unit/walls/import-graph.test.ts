import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importGraph, packagesIn, specifiersOf } from './import-graph.ts';
import { layerViolations } from './layers.ts';

let src: string;
beforeEach(() => {
  src = mkdtempSync(join(tmpdir(), 'bursar-walls-'));
});
afterEach(() => {
  rmSync(src, { recursive: true });
});

function plant(files: Record<string, string>): string[] {
  return Object.entries(files).map(([name, text]) => {
    const path = join(src, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
}

describe('specifiersOf', () => {
  it.each([
    ['a value import', `import { a } from 'x';`],
    ['a type import', `import type { A } from 'x';`],
    ['a side-effect import', `import 'x';`],
    ['a re-export', `export { a } from 'x';`],
    ['a star re-export', `export * from 'x';`],
    ['a type in import()', `type A = import('x').A;`],
    ['a dynamic import', `const a = await import('x');`],
    ['a dynamic import deep in a function', `function f() { return () => import('x'); }`],
    ['a dynamic import of a template', 'const a = await import(`x`);'],
    ['a require', `const a = require('x');`],
    ["a bundler's require", `var a = __require('x');`],
    ['a require of a module object', `module.require('x');`],
    ['an import assignment', `import a = require('x');`],
  ])('misses %s', (_kind, text) => {
    expect(specifiersOf('file.ts', text)).toEqual(['x']);
  });

  it('takes a comment or a string for an import', () => {
    expect(specifiersOf('file.ts', `// import 'x';\nconst a = "import 'y'"; f('z');`)).toEqual([]);
  });

  it('lets a computed import() through a wall', () => {
    expect(() => specifiersOf('file.ts', `const name = 'electron'; await import(name);`)).toThrow('computed name');
  });

  it('reads a file with a syntax error as one without imports', () => {
    expect(() => specifiersOf('file.ts', `import { from 'x'`)).toThrow('file.ts');
  });
});

describe('importGraph', () => {
  it('stops at the first file, or loops in a cycle', () => {
    const [entry = ''] = plant({
      'main/cli.ts': `import './a.ts';`,
      'main/a.ts': `import './b.ts'; import 'node:fs';`,
      'main/b.ts': `import './a.ts'; import { app } from 'electron';`,
    });
    const graph = importGraph([entry]);
    expect(graph.size).toBe(3);
    expect(packagesIn(graph)).toEqual(['electron', 'node:fs']);
  });

  it('walks past an import that leads nowhere', () => {
    expect(() => importGraph(plant({ 'main/a.ts': `import './gone.ts';` }))).toThrow('gone.ts');
  });
});

describe('layerViolations', () => {
  it.each([
    ['shared', 'core/a.ts', 'shared must not import core'],
    ['core', 'main/a.ts', 'core must not import main'],
    ['main', 'renderer/a.ts', 'main must not import renderer'],
    ['main', 'sandbox/a.ts', 'main must not import sandbox'],
    ['preload', 'main/a.ts', 'preload must not import main'],
    ['renderer', 'core/a.ts', 'renderer must not import core'],
    ['renderer', 'main/a.ts', 'renderer must not import main'],
    ['sandbox', 'core/a.ts', 'sandbox must not import core'],
  ])('lets %s import %s', (layer, target, why) => {
    const [entry = ''] = plant({ [`${layer}/folder/x.ts`]: `import type { A } from '../../${target}';`, [target]: 'export type A = 1;' });
    expect(layerViolations(src, importGraph([entry]))).toEqual([`${join(layer, 'folder', 'x.ts')}: ${why}`]);
  });

  it.each([
    ['shared', 'node:fs'],
    ['shared', 'viem'],
    ['core', 'node:crypto'],
    ['core', 'zod'],
    ['core', 'electron'],
    ['main', '@x402/evm'],
    ['preload', 'node:fs'],
    ['renderer', 'electron'],
    ['renderer', 'node:path'],
    ['sandbox', 'electron/main'],
  ])('lets %s import the package %s', (layer, name) => {
    expect(layerViolations(src, importGraph(plant({ [`${layer}/x.ts`]: `import '${name}';` })))).toHaveLength(1);
  });

  it('lets electron in anywhere but under host', () => {
    const graph = importGraph(plant({ 'main/bridge/x.ts': `import 'electron';`, 'main/index.ts': `import 'electron';`, 'main/host/x.ts': `import 'electron';` }));
    expect(layerViolations(src, graph)).toHaveLength(2);
  });

  it('lets arrows inside main point up', () => {
    const graph = importGraph(
      plant({
        'main/index.ts': `import './host/tray.ts';`,
        'main/headless.ts': `import './compose.ts';`,
        'main/compose.ts': `import './bridge/pump.ts'; import './host/tray.ts';`,
        'main/host/tray.ts': `import '../compose.ts';`,
        'main/bridge/pump.ts': `import '../compose.ts'; import '../adapters/store.ts';`,
        'main/adapters/store.ts': `import '../cli.ts';`,
        'main/cli.ts': `import './headless.ts';`,
      }),
    );
    expect(layerViolations(src, graph).toSorted()).toEqual([
      `${join('main', 'adapters', 'store.ts')}: adapters must not import cli.ts, which is above it`,
      `${join('main', 'bridge', 'pump.ts')}: bridge must not import compose.ts, which is above it`,
      `${join('main', 'compose.ts')}: only the Electron entry may import host`,
    ]);
  });

  it('forbids what the design allows', () => {
    const graph = importGraph(
      plant({
        'shared/a.ts': `import 'zod';`,
        'core/a.ts': `import '../shared/a.ts'; import '@noble/hashes/sha2.js'; import '@scure/base';`,
        'main/bridge/a.ts': `import '../../core/a.ts'; import 'node:fs'; import 'viem/accounts';`,
        'preload/a.ts': `import 'electron'; import '../shared/a.ts';`,
        'renderer/a.tsx': `import 'react'; import '../shared/a.ts';`,
        'sandbox/a.ts': `import 'litesvm'; import '@x402/evm/exact/client'; import '../shared/a.ts'; import 'node:net';`,
      }),
    );
    expect(layerViolations(src, graph)).toEqual([]);
  });
});
