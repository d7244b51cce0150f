// Makes `electron` mean the double, for import and require alike, in this process only.
import { registerHooks } from 'node:module';

const url = new URL('./electron.mjs', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => (/^electron(\/(main|common))?$/.test(specifier) ? { url, shortCircuit: true } : next(specifier, context)),
});
Object.defineProperty(process.versions, 'electron', { value: '45.4.1-double', enumerable: true });
process.type = 'browser';

// Not awaited: the app's main module runs now and `ready` comes later, as in Electron.
import('./browser.mjs').then(({ boot }) => boot()).catch((error) => {
  console.error(error);
  process.exit(1);
});
