import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProgram } from './cli/program.ts';
import { programFiles } from './program-files.ts';

// The Node host by itself: what `bursar serve` does, under the name that a shim starts when nothing runs.
process.exitCode = await buildProgram(programFiles(dirname(fileURLToPath(import.meta.url)))).run(['serve', ...process.argv.slice(2)]);
