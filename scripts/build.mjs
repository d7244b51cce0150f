// npm run build: the release build in out/. With --failpoints: the test build in out-test/, which can be told to die at a point.
import { build } from './lib/build.mjs';

process.exit(await build({ failpoints: process.argv.includes('--failpoints') }));
