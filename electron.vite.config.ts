import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { build, type Plugin } from 'vite';

/** A test build has the failpoints in and lies apart, so that it is never taken for the application. */
const failpoints = process.env['BURSAR_BUILD'] === 'failpoints';
const out = (folder: string): string => join(import.meta.dirname, failpoints ? 'out-test' : 'out', folder);
const source = (path: string): string => join(import.meta.dirname, 'src', path);
const define = { __FAILPOINTS__: String(failpoints) };
/** Writes the licenses of what an entry bundles, which have to come with it, beside the entry. */
const licenses: Plugin = {
  name: 'bursar:licenses',
  apply: 'build',
  config({ build: { rolldownOptions } = {} }) {
    const [entry, ...others] = Object.keys(rolldownOptions?.input ?? {});
    // Isolated entries are built one by one within a build of them all, which bundles nothing itself.
    return entry === undefined || others.length > 0 ? undefined : { build: { license: { fileName: `${entry}-licenses.md` } } };
  },
};

/** Builds an entry by itself after main, as one file that shares no chunk. */
const alone = (name: string, entry: string): Plugin => ({
  name: `bursar:${name}`,
  apply: 'build',
  writeBundle: {
    sequential: true,
    async handler() {
      await build({
        configFile: false,
        logLevel: 'warn',
        define,
        ssr: { noExternal: true, external: ['better-sqlite3'] },
        build: {
          ssr: source(entry),
          outDir: out('main'),
          emptyOutDir: false,
          target: 'node20',
          license: { fileName: `${name}-licenses.md` },
          rolldownOptions: { output: { entryFileNames: `${name}.js`, codeSplitting: false } },
        },
      });
    },
  },
});

/** A client waits for the shim to start. */
const shim = alone('shim', 'main/shim.ts');
/** The thread runs outside of the archive in which an installed application has the rest. */
const search = alone('search', 'main/adapters/store/search-worker.ts');

/** Puts the curve library's WebAssembly beside the chunk that reads it from its own folder. */
const secp256k1: Plugin = {
  name: 'bursar:secp256k1',
  apply: 'build',
  generateBundle(_options, bundle) {
    const loader = join('tiny-secp256k1', 'lib', 'wasm_loader.js');
    for (const part of Object.values(bundle)) {
      const found = part.type === 'chunk' ? part.moduleIds.find((id) => id.endsWith(loader)) : undefined;
      if (found !== undefined) this.emitFile({ type: 'asset', fileName: posix.join(posix.dirname(part.fileName), 'secp256k1.wasm'), source: readFileSync(join(dirname(found), 'secp256k1.wasm')) });
    }
  },
};

export default defineConfig({
  main: {
    define,
    plugins: [shim, search, secp256k1],
    build: {
      outDir: out('main'),
      license: { fileName: 'licenses.md' },
      // The package's dependencies are the two native modules; they stay outside, everything else is bundled.
      externalizeDeps: true,
      rolldownOptions: {
        input: { index: source('main/index.ts'), headless: source('main/headless.ts'), cli: source('main/cli.ts') },
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          // The engine keeps the text of what it runs in memory: comments and white space are three megabytes. Names stay, for stack traces.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  },
  preload: {
    build: {
      outDir: out('preload'),
      // A sandboxed preload can require nothing but Electron: each is one file.
      externalizeDeps: false,
      isolatedEntries: true,
      rolldownOptions: {
        input: { dashboard: source('preload/dashboard.ts'), approval: source('preload/approval.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: source('renderer'),
    plugins: [react(), tailwindcss(), licenses],
    build: {
      outDir: out('renderer'),
      // The approval page shares no chunk with the dashboard.
      isolatedEntries: true,
      minify: true,
      // The polyfill would fetch; the pages' browsers know modulepreload.
      modulePreload: { polyfill: false },
      // An inlined font or image would be a data: address, which the policy allows for images alone.
      assetsInlineLimit: 0,
      rolldownOptions: { input: { dashboard: source('renderer/dashboard.html'), approval: source('renderer/approval.html'), claim: source('renderer/claim.html') } },
    },
  },
});
