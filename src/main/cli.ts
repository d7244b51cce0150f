import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFiles } from './program-files.ts';
import { requireNode } from './require-node.ts';

requireNode();
// Only now: a static import would load SQLite before the check.
const { buildProgram } = await import('./cli/program.ts');
process.exitCode = await buildProgram(programFiles(dirname(fileURLToPath(import.meta.url)))).run(process.argv.slice(2));
