import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFiles } from './program-files.ts';
import { requireNode } from './require-node.ts';

requireNode();
// Only now: a static import would load SQLite before the check.
const { buildProgram } = await import('./cli/program.ts');
// The Node host by itself: what `bursar serve` does, under the name that a shim starts when nothing runs.
process.exitCode = await buildProgram(programFiles(dirname(fileURLToPath(import.meta.url)))).run(['serve', ...process.argv.slice(2)]);
