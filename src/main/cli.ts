import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProgram } from './cli/program.ts';
import { programFiles } from './program-files.ts';

process.exitCode = await buildProgram(programFiles(dirname(fileURLToPath(import.meta.url)))).run(process.argv.slice(2));
