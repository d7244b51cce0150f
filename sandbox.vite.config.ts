import { join } from 'node:path';
import { defineConfig } from 'vite';

const out = process.env['BURSAR_BUILD'] === 'failpoints' ? 'out-test' : 'out';
const source = (path: string): string => join(import.meta.dirname, 'src', 'sandbox', path);

// The sandbox runs from a checkout only, so its packages stay in node_modules.
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: join(import.meta.dirname, out, 'sandbox'),
    emptyOutDir: true,
    target: 'node20',
    rolldownOptions: {
      input: { index: source('index.ts'), 'seller-stdio': source('seller/stdio.ts') },
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
});
