// npm run package:check [-- --json --keep DIR]: all that can be looked at of the packages without Electron's binary. It packs for Linux with
// electron-builder itself around a stub of Electron, and looks at what came out. What that does not show stands in `notShown`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { configProblems, iconProblems, packAroundStub } from './lib/pack.mjs';
import { inspectPacked } from './lib/packed.mjs';
import { manifest } from './lib/run.mjs';

const NOT_SHOWN = [
  'that the packed application starts: Electron itself is a stub here',
  'installers, signatures and notarization, and whether the fuses of a real Electron hold',
  'macOS and Windows packages: their native modules come with an installation on those systems',
  'updates: no feed was asked',
];

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, keep: { type: 'string' } } });
await ensureBuilt({ quiet: true });
const folder = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'bursar-package-')) : resolve(values.keep);
try {
  const target = `linux-${process.arch}`;
  const problems = [...(await configProblems()), ...iconProblems()];
  const packed = process.platform === 'linux' ? await packAroundStub(folder) : undefined;
  const found = packed && (await inspectPacked({ folder: packed, target, devDependencies: Object.keys(manifest.devDependencies), executableName: 'bursar' }));
  problems.push(...(found?.problems ?? []));
  const report = {
    ok: problems.length === 0,
    problems,
    ...(found && { target, folder: values.keep === undefined ? undefined : packed, counts: found.counts, sizes: found.sizes }),
    notShown: packed ? NOT_SHOWN : ['the list of packed files: it is made on Linux', ...NOT_SHOWN],
  };
  if (values.json) console.log(JSON.stringify(report));
  else console.log(inWords(report));
  process.exitCode = report.ok ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

function inWords({ ok, problems, target: machine, counts, sizes, notShown }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    ok ? 'The packages are as they have to be, as far as that can be seen here.' : `${problems.length} problems:`,
    ...problems.map((problem) => `  ${problem}`),
    ...(sizes
      ? [
          `${machine}: archive ${counts.archive} files, ${megabytes(sizes.archive)} in it and ${megabytes(sizes.unpacked)} beside it`,
          `program for a bare Node ${counts.program} files, ${megabytes(sizes.program)}, of which Node itself ${megabytes(sizes.node)}`,
        ]
      : []),
    'Not shown here:',
    ...notShown.map((line) => `  ${line}`),
  ].join('\n');
}
